-- tributary: no transaction
-- A conversion that is credited later brings along the customer's first sale, which is found among those kept for nobody. And
-- conversions of pending affiliates from before version 24 are noted too, outside the transaction that locked their table.

CREATE INDEX CONCURRENTLY IF NOT EXISTS sales_of_nobody ON sales (account_id, customer_ref, occurred_at) WHERE referral_id IS NULL;

-- The explanation says why each candidate was dropped. The customer's email address is not known any more, so a person reviews these.
INSERT INTO pending_credits (account_id, affiliate_id, conversion_id, attribution, place, is_test, review, credit_until)
SELECT DISTINCT ON (v.account_id, a.id, v.id) v.account_id, a.id, v.id, v.attribution, candidate.place::integer - 1, false,
       ARRAY['the conversion was reported before this service looked back'],
       v.occurred_at + make_interval(days => g.attribution_window_days)
  FROM conversions v
  JOIN campaigns g ON g.account_id = v.account_id AND g.id = v.campaign_id
 CROSS JOIN LATERAL jsonb_array_elements(v.attribution -> 'candidates') WITH ORDINALITY AS candidate (value, place)
  JOIN affiliates a ON a.account_id = v.account_id AND a.id = (candidate.value ->> 'affiliate_id')::bigint AND a.status = 'pending'
  JOIN enrolments e ON e.account_id = v.account_id AND e.affiliate_id = a.id AND e.campaign_id = v.campaign_id
 WHERE v.referral_id IS NULL AND v.occurred_at + make_interval(days => g.attribution_window_days) > now()
   AND candidate.value ->> 'reason' LIKE 'the affiliate is pending,%'
 ORDER BY v.account_id, a.id, v.id, candidate.place
    ON CONFLICT DO NOTHING;
