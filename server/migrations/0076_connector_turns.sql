-- When a connector was last synced with success (`synced_at`) and when a process began to sync it are two things: after a failure the next
-- sync starts from the last success. `processed_at` is when the connector last had its turn, so that a busy one keeps no other waiting.
--
-- Only adds: the version before sets `synced_at` for both and takes no turns.

ALTER TABLE connectors
  ADD COLUMN sync_claimed_at timestamptz(3),
  ADD COLUMN processed_at timestamptz(3);
