/** The campaigns of the story, by what they are for. */
export type CampaignName = 'affiliates' | 'agencies' | 'friends'
