-- An endpoint of `tributary listen` lives as long as the command that made it. The command moves this time on while it runs; one that
-- was killed does not, and what it left behind is deleted.
ALTER TABLE webhook_endpoints ADD COLUMN listens_until timestamptz(3);

-- Making or dropping a month waits for whoever reads clicks for long, such as a backup, and all visitors would wait behind it. It is
-- tried again every hour, and months are made two ahead, so giving up after a moment costs nothing.
ALTER FUNCTION prepare_click_months() SET lock_timeout = '3s';
ALTER FUNCTION drop_click_months(integer) SET lock_timeout = '3s';
