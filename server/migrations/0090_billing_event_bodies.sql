-- Bodies of billing events contain personal data and are emptied some time after the event has ended. This finds the oldest that still has
-- one; only events that have ended are in it, so accepting one costs nothing more.
-- tributary: no transaction
CREATE INDEX CONCURRENTLY connector_events_with_body ON connector_events (received_at)
  WHERE status IN ('applied', 'ignored') AND body <> '';
