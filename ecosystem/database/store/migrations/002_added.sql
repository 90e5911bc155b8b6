ALTER TABLE notes ADD COLUMN added TEXT;
UPDATE notes SET added = '2026-01-01';
