-- SQLite and PostgreSQL both understand what is here. Times are milliseconds since 1970.

CREATE TABLE users (
	id       TEXT PRIMARY KEY,
	email    TEXT NOT NULL UNIQUE, -- in lower case
	password TEXT NOT NULL,        -- its hash, with the parameters of that
	role     TEXT NOT NULL,        -- '' or 'admin'
	created  BIGINT NOT NULL
);

CREATE TABLE sessions (
	hash    TEXT PRIMARY KEY,      -- of the token in the cookie
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	created BIGINT NOT NULL,
	seen    BIGINT NOT NULL,
	network TEXT NOT NULL,
	agent   TEXT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE tokens (
	hash    TEXT PRIMARY KEY,      -- of the token in the link
	purpose TEXT NOT NULL,
	user_id TEXT REFERENCES users (id) ON DELETE CASCADE, -- NULL before there is one
	email   TEXT NOT NULL,         -- where the link was sent
	ends    BIGINT NOT NULL
);
CREATE INDEX tokens_user ON tokens (user_id);

CREATE TABLE limits (
	name TEXT PRIMARY KEY,
	used BIGINT NOT NULL,
	ends BIGINT NOT NULL
);

CREATE TABLE mails (               -- those that wait to be sent
	id      TEXT PRIMARY KEY,
	kind    TEXT NOT NULL,
	user_id TEXT REFERENCES users (id) ON DELETE CASCADE, -- NULL if the address is all it is about
	email   TEXT NOT NULL,
	network TEXT NOT NULL,         -- of who has caused it
	asked   BIGINT NOT NULL,
	due     BIGINT NOT NULL,
	tries   BIGINT NOT NULL
);
CREATE INDEX mails_due ON mails (due);
CREATE INDEX mails_user ON mails (user_id);

CREATE TABLE events (              -- these stay when their user is deleted
	id      TEXT PRIMARY KEY,
	user_id TEXT NOT NULL,
	what    TEXT NOT NULL,
	network TEXT NOT NULL,
	at      BIGINT NOT NULL
);
CREATE INDEX events_user ON events (user_id, at);
