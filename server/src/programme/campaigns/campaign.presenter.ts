import type { Campaign } from '@tributary/contract'
import type { CampaignRow } from './campaign.ts'

export const presentCampaign = (row: CampaignRow): Campaign => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  program_type: row.program_type,
  visibility: row.visibility,
  payout_currency: row.payout_currency,
  attribution_model: row.attribution_model,
  attribution_window_days: row.attribution_window_days,
  hold_days: row.hold_days,
  minimum_payout_minor: row.minimum_payout_minor,
  open_enrollment: row.open_enrollment,
  destination_url: row.destination_url,
  created_at: row.created_at,
})
