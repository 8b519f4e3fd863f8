/** What Shopify's topics are about. What may happen to it isn't listed: each quarter adds some. */
export const shopifySubjects: ReadonlySet<string> = new Set(
  `app app_purchases_one_time app_subscriptions audit_events bulk_operations carts channels checkout_and_accounts_configurations checkouts
  collection_listings collection_publications collections companies company_contact_roles company_contacts company_locations customer
  customer_account_settings customer_groups customer_payment_methods customers customers_email_marketing_consent customers_marketing_consent
  delivery_promise_settings discounts disputes domains draft_orders finance_app_staff_member finance_kyc_information fulfillment_events
  fulfillment_holds fulfillment_orders fulfillments inventory_items inventory_levels inventory_shipments inventory_transfers locales locations
  markets metafield_definitions metaobjects order_transactions orders payment_schedules payment_terms product_feeds product_listings
  product_publications products profiles refunds returns reverse_deliveries reverse_fulfillment_orders scheduled_product_listings segments
  selling_plan_groups shop subscription_billing_attempts subscription_billing_cycle_edits subscription_billing_cycles
  subscription_contracts tender_transactions themes variants`.split(/\s+/),
)
