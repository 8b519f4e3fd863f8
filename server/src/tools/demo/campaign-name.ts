/** The campaigns of the demo. */
export type CampaignName = 'affiliates' | 'agencies' | 'friends'
