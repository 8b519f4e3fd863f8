-- The country that a click came from, as a two-letter code, for performance by country. Looked up in a file of the operator when the click is
-- recorded, because the address itself is not stored. Null without such a file, and for addresses that it doesn't have.
ALTER TABLE clicks ADD COLUMN country text;
