"""Act: text to tokens, the word lists, the index, each route as a LangChain retriever, their fusion."""
