CREATE TABLE passkeys (
	id         TEXT PRIMARY KEY,     -- of the credential, in Base64; a passkey belongs to one user
	user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	name       TEXT NOT NULL,
	public_key TEXT NOT NULL,        -- in Base64
	signs      BIGINT NOT NULL,      -- how often it has signed: 0 if its device does not count
	synced     BIGINT NOT NULL,      -- 1 if several devices may have it, else 0: that never changes
	created    BIGINT NOT NULL,
	used       BIGINT NOT NULL
);
CREATE INDEX passkeys_user ON passkeys (user_id);
