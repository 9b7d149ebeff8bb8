CREATE TABLE IF NOT EXISTS prints (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, created REAL NOT NULL,
    state TEXT NOT NULL, site TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL DEFAULT '', deleted REAL);
CREATE INDEX IF NOT EXISTS prints_by_state ON prints (state);
CREATE INDEX IF NOT EXISTS prints_deleted ON prints (deleted) WHERE deleted IS NOT NULL;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    title, url, text, content='prints', content_rowid='n',
    tokenize="unicode61 remove_diacritics 2");
CREATE TRIGGER IF NOT EXISTS prints_in AFTER INSERT ON prints BEGIN
    INSERT INTO words (rowid, title, url, text) VALUES (new.n, new.title, new.url, new.text); END;
CREATE TRIGGER IF NOT EXISTS prints_out AFTER DELETE ON prints BEGIN
    INSERT INTO words (words, rowid, title, url, text)
    VALUES ('delete', old.n, old.title, old.url, old.text); END;
CREATE TRIGGER IF NOT EXISTS prints_new AFTER UPDATE OF title, text ON prints BEGIN
    INSERT INTO words (words, rowid, title, url, text)
    VALUES ('delete', old.n, old.title, old.url, old.text);
    INSERT INTO words (rowid, title, url, text) VALUES (new.n, new.title, new.url, new.text); END;
