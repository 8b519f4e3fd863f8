/**
 * Protects people from digests: each gets one once per period, whatever runs at the same time or crashes, only if there is news, and none
 * after unsubscribing, which needs no session and no script, but a person.
 */
import type { DigestKind } from '@tributary/contract/dashboard'
import pino from 'pino'
import type { Email } from 'postal-mime'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config.ts'
import type { Db } from '../../src/db/database.ts'
import { writeDigests } from '../../src/digests/write-digests.ts'
import { sendMails } from '../../src/mail/send-mails.ts'
import { writeMail } from '../../src/mail/write-mail.ts'
import { createAccount } from '../../src/programme/accounts/create-account.ts'
import { findDigestKinds } from '../../src/programme/digests/digest.store.ts'
import { changePortal } from '../../src/programme/portal-settings/change-portal.ts'
import { deleteMember, insertMember } from '../../src/programme/team/team.store.ts'
import { Person } from '../dashboard/person.ts'
import {
  buildAccount,
  buildAffiliate,
  buildCampaign,
  buildCommission,
  buildReferral,
  unique,
} from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { betweenStatements, whileHeld } from '../interleave.ts'
import { approvedAffiliate } from '../ledger/scene.ts'
import { PortalBrowser } from '../portal/affiliate.ts'
import { emails } from '../portal/emails.ts'
import { useSmtpServer } from '../portal/smtp-server.ts'

const scene = useOwnScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const smtp = useSmtpServer()
const MONDAY = '2026-06-08T08:30:00Z'
const FIRST = '2026-07-01T08:30:00Z'
const WITHIN = '2026-06-03T12:00:00.000Z'
const EARLIER = '2026-05-27T12:00:00.000Z'

const settings = () => readSettings({ NODE_ENV: 'test', TRIBUTARY_SMTP_URL: smtp.url })
const work = () => ({
  baseUrl: scene.app.services.baseUrl,
  secrets: scene.app.services.secrets,
  settings: settings(),
  log: pino({ level: 'fatal' }),
  setAside: new Set<string>(),
})
const write = (now: string, db: Db = scene.database.db) => writeDigests(db, work(), { at: new Date(now) })
const send = () => sendMails(scene.database.db, scene.app.services.secrets, settings())
const query = (text: string, values: unknown[] = []) => scene.database.owner.query(text, values)
const turnOn = (kind: DigestKind, accountId = scene.account.id) =>
  query(`INSERT INTO digests (account_id, kind, since) VALUES ($1, $2, '2026-01-01')`, [accountId, kind])

/** What an affiliate did at a time. */
async function did(affiliateId: number, at: string, { clicks = 0, earned = [] as number[] }) {
  const place = { ...scene.place, affiliate_id: affiliateId }
  await query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, created_at)
     SELECT $1, $2, $3, false, $4 FROM generate_series(1, $5)`,
    [place.account_id, place.campaign_id, affiliateId, at, clicks],
  )
  for (const amount of earned) {
    const referral_id = await buildReferral(scene.database, place, { occurred_at: at })
    await buildCommission(scene.database, place, { referral_id, amount_minor: amount, created_at: at })
  }
}

let owner: Person
let viewer: Person
beforeAll(async () => {
  owner = await Person.join(scene.app, scene.account.id, 'owner')
  viewer = await Person.join(scene.app, scene.account.id, 'viewer')
  await query(`UPDATE affiliates SET created_at = '2026-01-01'`)
})
beforeEach(async () => {
  smtp.received.length = 0
  for (const table of ['digests', 'mails', 'commissions', 'referrals', 'clicks'])
    await query(`DELETE FROM ${table}`).catch(() => query(`TRUNCATE ${table} CASCADE`))
  await query('UPDATE memberships SET wants_digest = true')
  // Those of the tests before.
  await query(`UPDATE affiliates SET status = 'rejected' WHERE id <> $1`, [scene.place.affiliate_id])
})
const sentTo = async (): Promise<string[]> => (await emails(scene)).map(({ to_address }) => to_address)

describe('the digest of the team', () => {
  it('waits while another process has queued as many emails as may wait', async () => {
    const jane = await approvedAffiliate(scene, scene.place.campaign_id)
    await did(jane.id, WITHIN, { clicks: 30, earned: [100_000] })
    await turnOn('team')
    const { id } = scene.account
    const mail = { kind: 'team_digest', subject: 'News', lines: ['News'] }
    const { db } = scene.database
    const byAnother = () =>
      db.transaction(async tx => {
        for (let each = 0; each < 50; each++) await writeMail(tx, id, `${unique('member')}@example.com`, mail)
      })
    await write(MONDAY, betweenStatements(db, byAnother))
    expect(await sentTo()).not.toContain(owner.email)
  })

  it('has the week, compared, who earned most, and links to what needs attention', async () => {
    const { campaign_id } = scene.place
    const jane = await approvedAffiliate(scene, campaign_id, { name: 'Jane <b>' })
    const kim = await approvedAffiliate(scene, campaign_id, { name: 'Kim' })
    await query(`UPDATE affiliates SET created_at = '2026-01-01' WHERE id = $1`, [jane.id])
    await query(`UPDATE affiliates SET created_at = $2 WHERE id = $1`, [kim.id, WITHIN])
    await did(jane.id, WITHIN, { clicks: 30, earned: [100_000, 23_456] })
    await did(kim.id, WITHIN, { clicks: 6, earned: [500] })
    await did(jane.id, EARLIER, { clicks: 24, earned: [61_978] })
    await turnOn('team')
    await write(MONDAY)
    expect(await sentTo()).toEqual([owner.email, viewer.email])
    const [mail] = await emails(scene, owner.email)
    expect(mail?.subject).toBe(`${scene.account.slug}: your week, Jun 1 – 7, 2026`)
    const page = 'https://programme.example/dashboard'
    for (const line of [
      'Clicks: 36 (+50%)',
      'Conversions: 3 (+200%)',
      'Commissions: 1,239.56 USD (+100%)',
      `Jane <b>: 1,234.56 USD (2 conversions)\n${page}/${scene.account.slug}/affiliates/${jane.id}`,
      `New affiliates\nKim\n${page}/${scene.account.slug}/affiliates/${kim.id}`,
      `Affiliates to approve: 1\n${page}/${scene.account.slug}/affiliates?status=pending`,
    ])
      expect(mail?.text_body).toContain(line)
    expect(mail?.html_body).toContain('Jane &lt;b&gt;')
    expect(mail?.html_body).not.toContain('<b>')
  })

  it('has what fell to nothing', async () => {
    const { affiliate_id } = scene.place
    await did(affiliate_id, WITHIN, { earned: [3000] })
    await did(affiliate_id, EARLIER, { earned: [1500] })
    const yen = { amount_minor: 700, currency: 'JPY', payout_currency: 'JPY', created_at: EARLIER }
    await buildCommission(scene.database, { ...scene.place, affiliate_id }, yen)
    await turnOn('team')
    await write(MONDAY)
    const [mail] = await emails(scene, owner.email)
    for (const line of ['Commissions: 30.00 USD (+100%)', 'Commissions: 0 JPY (−100%)'])
      expect(mail?.text_body).toContain(line)
  })

  it('has amounts in the reporting currency, and those without a rate as they are', async () => {
    const { affiliate_id } = scene.place
    await query(
      `INSERT INTO fx_rates (base, quote, day, rate, source) VALUES ('USD', 'EUR', '2026-06-01', 0.5, 'test')`,
    )
    await query(`UPDATE accounts SET reporting_currency = 'EUR' WHERE id = $1`, [scene.account.id])
    await did(affiliate_id, WITHIN, { earned: [3000] })
    const place = { ...scene.place, affiliate_id }
    const yen = { amount_minor: 700, currency: 'JPY', payout_currency: 'JPY', created_at: WITHIN }
    await buildCommission(scene.database, place, yen)
    await turnOn('team')
    await write(MONDAY)
    await query('UPDATE accounts SET reporting_currency = NULL')
    const [mail] = await emails(scene, owner.email)
    for (const line of [
      'Commissions: 15.00 EUR\n',
      'Commissions without a rate to EUR: 700 JPY',
      ': 15.00 EUR (1 conversion)',
    ])
      expect(mail?.text_body).toContain(line)
    expect(mail?.text_body).not.toContain('USD')
  })

  it('is sent once, at Monday 8:00, and not for an earlier week when it is turned on', async () => {
    await did(scene.place.affiliate_id, WITHIN, { clicks: 1 })
    await turnOn('team')
    await write('2026-06-08T07:59:00Z')
    expect(await sentTo()).toEqual([])
    await write(MONDAY)
    await write('2026-06-09T08:30:00Z')
    expect(await sentTo()).toHaveLength(2)
    await query('DELETE FROM digests')
    await owner.call('switchDigest', { body: { kind: 'team', is_on: true } })
    await write(MONDAY)
    expect(await sentTo()).toHaveLength(2)
  })

  it('remembers what was sent while it is turned off', async () => {
    await did(scene.place.affiliate_id, WITHIN, { clicks: 1 })
    await turnOn('team')
    const flip = (is_on: boolean) => owner.call('switchDigest', { body: { kind: 'team', is_on } })
    const zone = (name: string) =>
      query('UPDATE accounts SET time_zone = $2 WHERE id = $1', [scene.account.id, name])
    await zone('Pacific/Auckland')
    await write('2026-06-07T21:00:00Z')
    expect(await sentTo()).toHaveLength(2)
    await flip(false)
    await write('2026-06-14T21:00:00Z')
    expect(await sentTo()).toHaveLength(2)
    await flip(true)
    await zone('UTC')
    // As if it had happened then.
    await query(`UPDATE digests SET since = '2026-06-07T22:00:00Z'`)
    await write(MONDAY)
    expect(await sentTo()).toHaveLength(2)
    await did(scene.place.affiliate_id, '2026-06-10T12:00:00Z', { clicks: 1 })
    await write('2026-06-15T08:30:00Z')
    expect(await sentTo()).toHaveLength(4)
  })

  it('is not sent if nothing happened and nothing needs attention', async () => {
    const other = await buildAccount(scene.database)
    await Person.join(scene.app, other.id, 'owner')
    await turnOn('team', other.id)
    await write(MONDAY)
    expect(await emails({ ...scene, account: other })).toEqual([])
    const { rows } = await query('SELECT is_done, due_day::text FROM digests WHERE account_id = $1', [
      other.id,
    ])
    expect(rows).toEqual([{ is_done: true, due_day: '2026-06-08' }])
  })

  it('that fails is set aside for the day, and holds up no other', async () => {
    const other = await buildAccount(scene.database)
    const reader = await Person.join(scene.app, other.id, 'owner')
    const { id: campaignId } = await buildCampaign(scene.database, other.id)
    await buildAffiliate(scene.database, other.id, campaignId)
    await did(scene.place.affiliate_id, WITHIN, { clicks: 1 })
    await turnOn('team')
    await turnOn('team', other.id)
    // A sequence counts although the transaction is rolled back.
    await query(`CREATE SEQUENCE digest_tries`)
    await query(`GRANT USAGE ON SEQUENCE digest_tries TO PUBLIC`)
    await query(`CREATE FUNCTION refuse_mail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM nextval('digest_tries'); RAISE 'no email today'; END $$`)
    await query(`CREATE TRIGGER refuse BEFORE INSERT ON mails FOR EACH ROW
      WHEN (NEW.account_id = ${scene.account.id}) EXECUTE FUNCTION refuse_mail()`)
    const patient = work()
    const run = (now: string) => writeDigests(scene.database.db, patient, { at: new Date(now) })
    const tries = async () =>
      (
        await query(
          'SELECT CASE WHEN is_called THEN last_value ELSE 0 END::integer AS tries FROM digest_tries',
        )
      ).rows[0].tries
    try {
      await run(MONDAY)
      await run(MONDAY)
      expect(await tries()).toBe(1)
      expect((await emails({ ...scene, account: other })).map(({ to_address }) => to_address)).toEqual([
        reader.email,
      ])
      await run('2026-06-09T08:30:00Z')
      expect(await tries()).toBe(2)
    } finally {
      await query('DROP TRIGGER refuse ON mails')
      await query('DROP FUNCTION refuse_mail')
      await query('DROP SEQUENCE digest_tries')
    }
    await run('2026-06-10T08:30:00Z')
    expect(await sentTo()).toEqual([owner.email, viewer.email])
  })

  it('is not written without an SMTP server', async () => {
    await did(scene.place.affiliate_id, WITHIN, { clicks: 1 })
    await turnOn('team')
    const without = { ...work(), settings: readSettings({ NODE_ENV: 'test' }) }
    await writeDigests(scene.database.db, without, { at: new Date(MONDAY) })
    expect(await sentTo()).toEqual([])
    await write(MONDAY)
    expect(await sentTo()).toHaveLength(2)
  })

  it('is sent once when two processes write it at the same time', async () => {
    await did(scene.place.affiliate_id, WITHIN, { clicks: 1 })
    await turnOn('team')
    await whileHeld(
      scene.database,
      tx => write(MONDAY, tx),
      () => write(MONDAY),
    )
    expect(await sentTo()).toEqual([owner.email, viewer.email])
  })

  it('is written again after a crash, without those that were undone', async () => {
    await did(scene.place.affiliate_id, WITHIN, { clicks: 1 })
    await turnOn('team')
    const crash = scene.database.db.transaction(async tx => {
      await write(MONDAY, tx)
      throw new Error('crashed')
    })
    await expect(crash).rejects.toThrow('crashed')
    expect(await sentTo()).toEqual([])
    await write(MONDAY)
    expect(await sentTo()).toEqual([owner.email, viewer.email])
  })
})

describe('the digest of affiliates', () => {
  const affiliates = async (count: number) => {
    const made = []
    for (let n = 0; n < count; n++) made.push(await approvedAffiliate(scene, scene.place.campaign_id))
    return made
  }

  it('has their own month in the name of the company, and is for approved affiliates with news only', async () => {
    const [jane, idle, rejected, left] = await affiliates(4)
    for (const each of [jane, rejected, left]) await did(each?.id ?? 0, WITHIN, { clicks: 3, earned: [2500] })
    await did(jane?.id ?? 0, EARLIER, { clicks: 2 })
    await query(`UPDATE affiliates SET status = 'rejected' WHERE id = $1`, [rejected?.id])
    await query('UPDATE affiliates SET wants_digest = false WHERE id = $1', [left?.id])
    await changePortal(scene.database.db, scene.account.id, scene.app.services.baseUrl, {
      name: 'Ångström & Co',
      colour: '#c2410c',
    })
    await turnOn('affiliate')
    await write(FIRST)
    expect(await sentTo()).toEqual([jane?.email])
    expect(idle?.email).not.toBe(jane?.email)
    const [mail] = await emails(scene)
    expect([mail?.subject, mail?.from_name]).toEqual(['Your June 2026 with Ångström & Co', 'Ångström & Co'])
    for (const line of ['Clicks: 3 (+50%)', 'Conversions: 1', 'Earned: 25.00 USD', 'On hold: 25.00 USD'])
      expect(mail?.text_body).toContain(line)
    expect(mail?.html_body).toContain('#c2410c')
    expect(mail?.text_body).not.toContain('Tributary')
  })

  it('have what was taken back, added and paid, also alone, and not the money of others or of tests', async () => {
    const [jane, kim, lee] = await affiliates(3)
    const entry = (
      who: typeof jane,
      entry_type: 'clawback' | 'adjustment' | 'payout',
      amount: number,
      more = {},
    ) =>
      buildCommission(
        scene.database,
        { ...scene.place, affiliate_id: who?.id ?? 0 },
        { entry_type, amount_minor: amount, status: 'approved', created_at: WITHIN, ...more },
      )
    await did(jane?.id ?? 0, WITHIN, { earned: [2500] })
    await entry(jane, 'payout', -6000, { status: 'paid' })
    await entry(jane, 'payout', -1000, { status: 'paid', created_at: EARLIER })
    await entry(jane, 'adjustment', 20_000)
    await entry(jane, 'adjustment', 777, { status: 'void' })
    await entry(jane, 'clawback', -888, { beneficiary: 'referee' })
    await entry(kim, 'clawback', -1500)
    await entry(kim, 'clawback', -700, {
      amount_minor: -7,
      currency: 'JPY',
      payout_amount_minor: -7,
      payout_currency: 'JPY',
    })
    await entry(lee, 'clawback', -1500, { created_at: EARLIER })
    // Credit is not money: neither what is clawed back of it nor what is given back is.
    const credit = {
      entry_type: 'credit',
      amount_minor: 4000,
      status: 'approved',
      created_at: EARLIER,
    } as const
    for (const who of [jane, lee]) {
      const place = { ...scene.place, affiliate_id: who?.id ?? 0 }
      const id = await buildCommission(scene.database, place, credit)
      await query(
        `INSERT INTO commissions (account_id, campaign_id, affiliate_id, entry_type, beneficiary, amount_minor, currency, payout_amount_minor,
                                  payout_currency, status, created_at, clawback_of)
         SELECT account_id, campaign_id, affiliate_id, 'clawback', beneficiary, -300, currency, -300, payout_currency, status, $2, id
           FROM commissions WHERE id = $1`,
        [id, WITHIN],
      )
    }
    await turnOn('affiliate')
    await write(FIRST)
    expect((await sentTo()).toSorted()).toEqual([jane?.email, kim?.email].toSorted())
    const moneyOf = async (who: typeof jane) => {
      const [mail] = await emails(scene, who?.email)
      const [, rows] = /Your money\n((?:.+\n)+)/.exec(mail?.text_body ?? '') ?? []
      return rows?.trim().split('\n')
    }
    expect(await moneyOf(jane)).toEqual([
      'Adjustments in June 2026: 200.00 USD',
      'Paid in June 2026: 60.00 USD',
      'Payable now: 200.00 USD',
      'On hold: 25.00 USD',
    ])
    expect(await moneyOf(kim)).toEqual([
      'Clawbacks in June 2026: -7 JPY',
      'Clawbacks in June 2026: -15.00 USD',
    ])
  })

  it('go on while a recipient takes none, and wait while the server takes none', async () => {
    const many = await affiliates(51)
    for (const { id } of many) await did(id, WITHIN, { clicks: 1 })
    await turnOn('affiliate')
    await write(FIRST)
    await query(`UPDATE mails SET attempts = 2`)
    const before = await sentTo()
    await write(FIRST)
    expect(await sentTo()).toHaveLength(before.length)
    await query(`UPDATE mails SET status = 'sent', sent_at = now() WHERE id <> (SELECT max(id) FROM mails)`)
    await write(FIRST)
    expect((await sentTo()).toSorted()).toEqual(many.map(({ email }) => email).toSorted())
  })

  it('are written in turns, each only when the emails of the one before are sent', async () => {
    const many = await affiliates(51)
    await query(
      `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, created_at)
       SELECT $1, $2, id, false, $3 FROM unnest($4::bigint[]) AS id`,
      [scene.account.id, scene.place.campaign_id, WITHIN, many.map(({ id }) => id)],
    )
    await turnOn('affiliate')
    await write(FIRST)
    const first = await sentTo()
    expect(first.length).toBeLessThanOrEqual(50)
    await query(
      `INSERT INTO mails (account_id, kind, to_address, subject, text_body, html_body)
       SELECT $1, 'approved', 'a@example.com', '', '', '' FROM generate_series(1, 50)`,
      [scene.account.id],
    )
    await write(FIRST)
    expect(await sentTo()).toHaveLength(first.length + 50)
    await query(`UPDATE mails SET status = 'sent'`)
    await write(FIRST)
    await write(FIRST)
    const all = (await emails(scene)).filter(({ kind }) => kind === 'affiliate_digest')
    expect(all.map(({ to_address }) => to_address).toSorted()).toEqual(
      many.map(({ email }) => email).toSorted(),
    )
  })
})

describe('unsubscribing', () => {
  /** The email as a mail program gets it, and the address in its header. */
  async function delivered(now: string, to: string): Promise<{ mail: Email; path: string }> {
    await write(now)
    while ((await query(`SELECT 1 FROM mails WHERE status = 'pending'`)).rowCount) await send()
    const mail = smtp.received.find(each => each.to?.[0]?.address === to) as Email
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    const [, url] = /^<(https:\/\/[^>]+)>$/.exec(header('list-unsubscribe') ?? '') ?? []
    expect(mail.text).toContain(url)
    return { mail, path: (url as string).replace('https://programme.example', '') }
  }
  const visit = (path: string, method = 'GET') =>
    fetch(`${scene.app.url}${path}`, {
      method,
      // As mail providers send it: from another origin, without a session.
      ...(method === 'POST' && { body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }),
    })

  it.each(['team', 'affiliate'] as const)(
    'from the digest of the %s takes a click, which a scanner does not make',
    async kind => {
      const jane = await approvedAffiliate(scene, scene.place.campaign_id)
      await did(jane.id, WITHIN, { clicks: 1 })
      await turnOn(kind)
      const [now, to] = kind === 'team' ? [MONDAY, viewer.email] : [FIRST, jane.email]
      const { path } = await delivered(now, to)
      const wants = async () => {
        const { rows } = await query(
          kind === 'team'
            ? 'SELECT wants_digest FROM memberships JOIN users ON id = user_id WHERE email = $1'
            : 'SELECT wants_digest FROM affiliates WHERE email = $1',
          [to],
        )
        return rows[0].wants_digest
      }
      const asked = await visit(path)
      expect([asked.status, asked.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(await asked.text()).toContain('<form method="post"><button class="button">Unsubscribe</button>')
      expect(await wants()).toBe(true)
      for (const wrong of [
        `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`,
        path.replace(/\d+(?=\/[^/]+$)/, '1'),
      ])
        for (const method of ['GET', 'POST']) expect((await visit(wrong, method)).status).toBe(404)
      expect(await wants()).toBe(true)
      for (let n = 0; n < 2; n++) expect((await visit(path, 'POST')).status).toBe(200)
      expect(await wants()).toBe(false)
      const { data } = (await owner.call('listAuditLog')).body
      expect(data[0]).toMatchObject({ actor_name: to, details: { is_subscribed: false } })
      // What the team can read of it has no link any more.
      const [stored] = await emails(scene, to)
      expect(stored?.text_body).not.toContain(path)
      const { rows } = await query('SELECT unsubscribe_url FROM mails')
      expect(rows.every(({ unsubscribe_url }) => unsubscribe_url === null)).toBe(true)
    },
  )

  it('is repeated while the SMTP server fails, as other emails are', async () => {
    await did(scene.place.affiliate_id, WITHIN, { clicks: 1 })
    await turnOn('team')
    await write(MONDAY)
    smtp.refused.RCPT = { argument: '', code: 451 }
    await send()
    smtp.refused = {}
    await query('UPDATE mails SET due_at = now()')
    await send()
    expect(smtp.received).toHaveLength(2)
    expect(smtp.received[0]?.headers.some(({ key }) => key === 'list-unsubscribe')).toBe(true)
  })

  const waitingFor = async () =>
    (await query(`SELECT to_address FROM mails WHERE status = 'pending' ORDER BY id`)).rows.map(
      ({ to_address }) => to_address,
    )
  const leave = (email: string) =>
    query('DELETE FROM memberships WHERE user_id = (SELECT id FROM users WHERE email = $1)', [email])
  it.each([
    ['a member unsubscribes', () => viewer.call('subscribeToDigest', { body: { is_subscribed: false } }), 1],
    ['a member leaves the team', () => leave(viewer.email), 1],
    ['it is turned off', () => owner.call('switchDigest', { body: { kind: 'team', is_on: false } }), 0],
    ['it is no news any more', () => query(`UPDATE mails SET created_at = now() - interval '4 days'`), 0],
  ])('withdraws what was not sent yet when %s', async (_, change, left) => {
    await did(scene.place.affiliate_id, WITHIN, { clicks: 1 })
    await turnOn('team')
    await write(MONDAY)
    await write(MONDAY)
    expect(await sentTo()).toEqual([owner.email, viewer.email])
    await change()
    await write(MONDAY)
    expect(await waitingFor()).toEqual([owner.email].slice(0, left))
    await query(
      `INSERT INTO memberships (account_id, user_id, role) SELECT $1, id, 'viewer' FROM users WHERE email = $2 ON CONFLICT DO NOTHING`,
      [scene.account.id, viewer.email],
    )
  })

  it('withdraws what was not sent yet when an affiliate is rejected', async () => {
    const [jane, kim] = [
      await approvedAffiliate(scene, scene.place.campaign_id),
      await approvedAffiliate(scene, scene.place.campaign_id),
    ]
    for (const { id } of [jane, kim]) await did(id, WITHIN, { clicks: 1 })
    await turnOn('affiliate')
    await write(FIRST)
    expect(await sentTo()).toHaveLength(2)
    await query(`UPDATE affiliates SET status = 'rejected' WHERE id = $1`, [jane.id])
    await write(FIRST)
    expect(await waitingFor()).toEqual([kim.email])
  })

  it('holds for a member who leaves the team and comes back', async () => {
    const kim = await Person.join(scene.app, scene.account.id, 'viewer')
    await kim.call('subscribeToDigest', { body: { is_subscribed: false } })
    const { rows } = await query('SELECT id::integer FROM users WHERE email = $1', [kim.email])
    const comeBack = async () => {
      await scene.database.db.transaction(tx => deleteMember(tx, scene.account.id, rows[0].id))
      await scene.database.db.transaction(tx => insertMember(tx, scene.account.id, rows[0].id, 'viewer'))
      return (await kim.call('getDigests')).body.is_subscribed
    }
    expect(await comeBack()).toBe(false)
    await kim.call('subscribeToDigest', { body: { is_subscribed: true } })
    expect(await comeBack()).toBe(true)
    await query('DELETE FROM memberships WHERE user_id = $1', [rows[0].id])
  })

  it('is a choice in the profile of a member, whatever their role, and in the portal', async () => {
    await turnOn('team')
    expect((await viewer.call('getDigests')).body).toEqual({
      team: true,
      affiliate: false,
      is_subscribed: true,
    })
    expect((await viewer.call('subscribeToDigest', { body: { is_subscribed: false } })).status).toBe(200)
    expect((await viewer.call('getDigests')).body.is_subscribed).toBe(false)
    expect((await owner.call('getDigests')).body.is_subscribed).toBe(true)
    const jane = await approvedAffiliate(scene, scene.place.campaign_id)
    const browser = await PortalBrowser.signIn(scene, jane.id)
    expect((await browser.ask('getMe')).digest).toBeNull()
    await turnOn('affiliate')
    expect((await browser.ask('subscribeToDigest', { body: { is_subscribed: false } })).digest).toBe(false)
    await did(jane.id, WITHIN, { clicks: 1 })
    await write(FIRST)
    expect(await sentTo()).not.toContain(jane.email)
  })
})

describe('the settings', () => {
  it('turn each digest on and off, for those who may change settings', async () => {
    const flip = (person: Person, kind: DigestKind, is_on: boolean) =>
      person.call('switchDigest', { body: { kind, is_on } })
    expect((await flip(viewer, 'team', true)).status).toBe(403)
    for (const kind of ['team', 'affiliate'] as const) await flip(owner, kind, true)
    expect((await owner.call('getDigests')).body).toMatchObject({ team: true, affiliate: true })
    await flip(owner, 'affiliate', true)
    await flip(owner, 'affiliate', false)
    expect(await findDigestKinds(scene.database.db, scene.account.id)).toEqual(['team'])
  })

  it('show each as it would be sent', async () => {
    await did(scene.place.affiliate_id, WITHIN, { clicks: 1 })
    for (const kind of ['team', 'affiliate'] as const) {
      const { status, body } = await owner.call('previewDigest', { query: { kind } })
      expect(status).toBe(200)
      expect(body.html).toContain('<table')
      expect(body.text).toContain('Clicks: ')
    }
    expect((await viewer.call('previewDigest', { query: { kind: 'team' } })).status).toBe(403)
  })

  it('are on for new accounts', async () => {
    const email = `${unique('owner')}@example.com`
    const { account_id } = await createAccount(scene.database.db, {
      name: 'New',
      email,
      password: 'correct horse',
    })
    expect((await findDigestKinds(scene.database.db, account_id)).toSorted()).toEqual(['affiliate', 'team'])
  })
})
