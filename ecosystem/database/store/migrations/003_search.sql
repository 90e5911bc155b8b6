-- The index has no copy of the texts. The triggers keep it as the table is.
CREATE VIRTUAL TABLE notes_search USING fts5(text, content='notes', content_rowid='id', tokenize="unicode61 remove_diacritics 2");
INSERT INTO notes_search (notes_search) VALUES ('rebuild');

CREATE TRIGGER notes_search_insert AFTER INSERT ON notes BEGIN
	INSERT INTO notes_search (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER notes_search_delete AFTER DELETE ON notes BEGIN
	INSERT INTO notes_search (notes_search, rowid, text) VALUES ('delete', old.id, old.text);
END;
CREATE TRIGGER notes_search_update AFTER UPDATE OF text ON notes BEGIN
	INSERT INTO notes_search (notes_search, rowid, text) VALUES ('delete', old.id, old.text);
	INSERT INTO notes_search (rowid, text) VALUES (new.id, new.text);
END;
