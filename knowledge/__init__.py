"""What a skill needs to be carried out: definitions of skills, and a folder of knowledge cut, tagged and searchable."""
