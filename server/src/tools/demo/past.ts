/** A row and when it came to be in the story. */
export interface Moment {
  id: number
  at: string
}

/** What happened when, where the rows themselves do not tell: the database stamped all of them with the time of the demo. */
export class Past {
  readonly affiliates: Moment[] = []
  /** When an affiliate was approved. */
  readonly approvals: Moment[] = []
  /** When a referral was rejected, and what it had earned taken back. */
  readonly rejections: Moment[] = []
  readonly adjustments: Moment[] = []
  readonly payouts: Moment[] = []
  /** When the items of a payout were settled, as far as they were. */
  readonly settlements: Moment[] = []
  readonly endpoints: Moment[] = []
  readonly auditLines: Moment[] = []
  readonly mails: Moment[] = []
}
