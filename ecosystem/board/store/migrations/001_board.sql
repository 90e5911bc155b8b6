CREATE TABLE posts (
	id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	text text NOT NULL
);
CREATE TABLE users (
	name       text PRIMARY KEY,
	generation int NOT NULL DEFAULT 0
);
INSERT INTO users (name) VALUES ('ada'), ('bob');
