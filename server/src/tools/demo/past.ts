/** A row and its time in the demo. */
export interface Moment {
  id: number
  at: string
}

/** The times of events that cannot be derived from the rows, which are all stamped with the time of the demo run. */
export class Past {
  readonly affiliates: Moment[] = []
  /** When an affiliate was approved. */
  readonly approvals: Moment[] = []
  /** When a referral was rejected and its commissions clawed back. */
  readonly rejections: Moment[] = []
  readonly adjustments: Moment[] = []
  readonly payouts: Moment[] = []
  /** When the items of a payout were settled, as far as they were. */
  readonly settlements: Moment[] = []
  readonly endpoints: Moment[] = []
  readonly auditLines: Moment[] = []
  readonly mails: Moment[] = []
}
