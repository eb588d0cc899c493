"""An endpoint on loopback that speaks the chat-completions and embeddings protocols and answers from a script."""

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from word_embeddings import WordEmbeddings

_HEAD = {"id": "x", "created": 0, "model": "m"}
_USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}

Answer = Callable[[BaseHTTPRequestHandler, threading.Event], None]


class ChatServer:
    """Answers requests from a script, in order; `requests` holds the bodies that came in, `headers` their headers.

    Requests for embeddings are kept apart: they get `embedding_answer`, or the vectors of `words`.
    `reply`, where there is one, is asked for the answer to each request instead. `closed` is set once a client closes a
    connection on which `until_closed` kept it waiting.
    """

    def __init__(self) -> None:
        self.script: list[Answer] = []
        self.reply: Callable[[dict[str, Any]], Answer] | None = None
        self.closed = threading.Event()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.words = WordEmbeddings()
        self.embedding_answer: Answer | None = None
        self.embedding_requests: list[dict[str, Any]] = []
        self._closing = threading.Event()
        self._asked = threading.Event()
        chat = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if self.path.endswith("/embeddings"):
                    with suppress(BrokenPipeError, ConnectionResetError):
                        chat._embed(json.loads(body))(self, chat._closing)
                    return
                number = len(chat.requests)
                self.asked: dict[str, Any] = json.loads(body)
                chat.requests.append(self.asked)
                chat._asked.set()
                chat.headers.append({name.lower(): value for name, value in self.headers.items()})
                if chat.reply:
                    answer = chat.reply(self.asked)
                else:
                    answer = chat.script[number] if number < len(chat.script) else chat.failure(500, "no more script")
                # Some tests want the client to give up.
                with suppress(BrokenPipeError, ConnectionResetError):
                    answer(self, chat._closing)

            def end_headers(self) -> None:
                # Clients of embeddings are kept for the whole process, and would keep their sockets.
                if self.path.endswith("/embeddings"):
                    self.send_header("connection", "close")
                super().end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def _embed(self, request: dict[str, Any]) -> Answer:
        self.embedding_requests.append(request)
        return self.embedding_answer or self.vectors(self.words.embed_documents(request["input"]))

    def wait_for_request(self, seconds: float = 5) -> None:
        assert self._asked.wait(seconds)

    def close(self) -> None:
        """Stop; a second time does nothing."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @staticmethod
    def completion(text: str | None, finish_reason: str = "stop", **message: Any) -> Answer:
        """An ordinary answer, in pieces where the request wants a stream."""
        said = {"role": "assistant", "content": text, **message}
        choice = {"index": 0, "finish_reason": finish_reason, "message": said}
        body = {**_HEAD, "object": "chat.completion", "choices": [choice], "usage": _USAGE}
        whole = ChatServer.body(200, body)

        def answer(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
            if handler.asked.get("stream"):  # type: ignore[attr-defined]
                ChatServer.stream(said, finish_reason)(handler, closing)
            else:
                whole(handler, closing)

        return answer

    @staticmethod
    def stream(said: dict[str, Any], finish_reason: str | None = "stop", pause: float = 0.0) -> Answer:
        """A streamed answer, seven characters a piece; without a finish reason it breaks off in the middle."""

        def answer(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
            deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
            for name in ("reasoning_content", "content", "refusal"):
                text = said.get(name) or ""
                deltas += [{name: text[at : at + 7]} for at in range(0, len(text), 7)]
            handler.send_response(200)
            handler.send_header("content-type", "text/event-stream")
            handler.send_header("connection", "close")
            handler.end_headers()
            for delta in deltas if finish_reason else deltas[: len(deltas) // 2]:
                if closing.wait(pause):
                    return
                _send_event(handler, [{"index": 0, "delta": delta, "finish_reason": None}], None)
            if finish_reason:
                _send_event(handler, [{"index": 0, "delta": {}, "finish_reason": finish_reason}], None)
                _send_event(handler, [], _USAGE)
                handler.wfile.write(b"data: [DONE]\n\n")

        return answer

    @staticmethod
    def vectors(vectors: list[list[float]]) -> Answer:
        """An ordinary answer to a request for embeddings."""
        data = [{"object": "embedding", "index": at, "embedding": one} for at, one in enumerate(vectors)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return ChatServer.body(200, {"object": "list", "model": "m", "data": data, "usage": usage})

    @staticmethod
    def failure(status: int, message: str, code: str | None = None, **headers: str) -> Answer:
        """An error as OpenAI's endpoints word it; the client does not wait before it tries again."""
        error = {"error": {"message": message, "type": "error", "param": None, "code": code}}
        waits = headers.keys() & {"retry-after", "retry-after-ms"}
        return ChatServer.body(status, error, **headers if waits else {"retry-after-ms": "1", **headers})

    @staticmethod
    def body(status: int, body: Any, content_type: str = "application/json", **headers: str) -> Answer:
        """Any answer; text goes out as it is."""

        def answer(handler: BaseHTTPRequestHandler, _closing: threading.Event) -> None:
            data = (body if isinstance(body, str) else json.dumps(body)).encode()
            handler.send_response(status)
            for name, value in {"content-type": content_type, "content-length": str(len(data)), **headers}.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(data)

        return answer

    @staticmethod
    def silence(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        """Never answer."""
        closing.wait(10)
        handler.close_connection = True

    def until_closed(self, handler: BaseHTTPRequestHandler, _closing: threading.Event) -> None:
        """Never answer, and note when the client closes the connection."""
        handler.connection.settimeout(10)
        with suppress(OSError):
            if handler.connection.recv(1) == b"":
                self.closed.set()
        handler.close_connection = True

    @staticmethod
    def hang_up(handler: BaseHTTPRequestHandler, _closing: threading.Event) -> None:
        """Close the connection in the middle of an answer."""
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", "5000")
        handler.end_headers()
        handler.wfile.write(b'{"id"')
        handler.close_connection = True

    @staticmethod
    def stall(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        """Send the beginning of an answer, and then nothing."""
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", "5000")
        handler.end_headers()
        handler.wfile.write(b'{"id"')
        handler.wfile.flush()
        closing.wait(10)
        handler.close_connection = True

    @staticmethod
    def trickle(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        """Answer a byte at a time, for three seconds."""
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("connection", "close")
        handler.end_headers()
        for _ in range(100):
            if closing.wait(0.03):
                return
            handler.wfile.write(b" ")
            handler.wfile.flush()


def _send_event(handler: BaseHTTPRequestHandler, choices: list[dict[str, Any]], usage: Any) -> None:
    event = {**_HEAD, "object": "chat.completion.chunk", "choices": choices, "usage": usage}
    handler.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
    handler.wfile.flush()
