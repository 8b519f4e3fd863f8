import type { Role } from '@tributary/contract/dashboard'
import type { Tx } from '../../db/database.ts'
import type { Services } from '../../db/services.ts'
import type { Mail } from '../../mail/render-mail.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { audited } from '../../programme/audit/record-change.ts'
import type { Calendar } from './calendar.ts'
import type { CampaignName } from './campaign-name.ts'
import { lastAuditLine, lastMail } from './demo.store.ts'
import type { Past } from './past.ts'
import type { PlannedAffiliate } from './plan-affiliates.ts'
import type { Random } from './random.ts'

export interface Member {
  id: number
  email: string
  address: string
}

/** A step at a point in time. */
export interface Step {
  at: string
  run: () => Promise<void>
}

/** The state that all parts of the demo share. */
export interface Story {
  tx: Tx
  accountId: number
  services: Services
  calendar: Calendar
  random: Random
  campaigns: Record<CampaignName, number>
  team: Record<Role, Member>
  affiliates: Map<PlannedAffiliate, number>
  past: Past
}

/** Makes a change as a member of the team, with its audit entry. */
export async function byPerson<T extends object | undefined>(
  story: Story,
  role: Role,
  at: string,
  change: { action: string; subjectId?: number; details?: object },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { id, email, address } = story.team[role]
  const actor = { kind: 'user', id, name: email, address } as const
  const result = await audited(story.tx, story.accountId, actor, work, made => ({
    action: change.action,
    subjectId: change.subjectId ?? (made as { id?: number } | undefined)?.id ?? null,
    details: change.details ?? {},
  }))
  story.past.auditLines.push({ id: await lastAuditLine(story.tx, story.accountId), at })
  return result
}

export async function sendMail(story: Story, at: string, to: string, mail: Mail): Promise<void> {
  await writeMail(story.tx, story.accountId, to, mail)
  story.past.mails.push({ id: await lastMail(story.tx, story.accountId), at })
}
