-- An SMTP server that takes an email and doesn't confirm it may have delivered it. Such attempts are counted apart from those of a server that
-- is down: they are repeated a few times only, or their recipient gets the same email many times.

ALTER TABLE mails ADD COLUMN unanswered integer NOT NULL DEFAULT 0;
