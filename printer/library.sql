CREATE TABLE IF NOT EXISTS prints (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL, title TEXT NOT NULL, byline TEXT NOT NULL,
    site TEXT NOT NULL, printed TEXT NOT NULL, file TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS prints_by_url ON prints (url);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    title, byline, site, text, content='prints', content_rowid='id',
    tokenize="unicode61 remove_diacritics 2");
CREATE TRIGGER IF NOT EXISTS prints_in AFTER INSERT ON prints BEGIN
    INSERT INTO words (rowid, title, byline, site, text)
    VALUES (new.id, new.title, new.byline, new.site, new.text); END;
CREATE TRIGGER IF NOT EXISTS prints_out AFTER DELETE ON prints BEGIN
    INSERT INTO words (words, rowid, title, byline, site, text)
    VALUES ('delete', old.id, old.title, old.byline, old.site, old.text); END;
