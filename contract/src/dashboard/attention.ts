/**
 * The list behind each count of the overview's "Needs attention": its rows are exactly those that the count counts. Without schemas,
 * as the pages import it too.
 */
export const attentionLists = {
  payouts_failed: ['listPayouts', { status: 'failed', is_recent: true }],
  payouts_partially_paid: ['listPayouts', { status: 'partially_paid', is_recent: true }],
  failing_endpoints: ['listWebhookEndpoints', { is_failing: true }],
  affiliates_to_approve: ['listAffiliates', { status: 'pending' }],
  signals_to_review: ['listSignals', { status: 'open' }],
  referrals_to_review: ['listReferrals', { status: 'pending_review', is_test: false }],
  unattributed_conversions: ['listUnattributed', { is_recent: true }],
  payouts_to_send: ['listPayouts', { status: 'pending' }],
  payouts_in_progress: ['listPayouts', { status: 'processing' }],
  holds_ending: ['listCommissions', { clears_soon: true }],
} as const
