/**
 * A join form: what is stored are answers to the questions that were asked and the terms that were shown, once, and nothing of someone
 * who hasn't confirmed their address.
 */
import type { Campaign } from '@tributary/contract'
import type { Application, JoinQuestion } from '@tributary/contract/dashboard'
import type { FilledForm } from '@tributary/contract/portal'
import { beforeEach, describe, expect, it } from 'vitest'
import { Person } from '../dashboard/person.ts'
import { buildAccount, buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { type Scene, useScene } from '../harness.ts'
import { PortalBrowser } from './affiliate.ts'
import { emails, linkIn, write } from './emails.ts'

const base = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const OPEN = { visibility: 'public', open_enrollment: true } as const
const SITE: JoinQuestion = { kind: 'url', label: 'Your site', is_required: true, choices: [] }
const SIZE: JoinQuestion = { kind: 'choice', label: 'Readers', is_required: false, choices: ['Few', 'Many'] }
const WHY: JoinQuestion = { kind: 'text', label: 'Why us?', is_required: false, choices: [] }
const NASTY = `<img src=x onerror="alert(1)"></script>`

let scene: Pick<Scene, 'database' | 'app' | 'account'>
let campaign: Campaign
let admin: Person
beforeEach(async () => {
  const account = await buildAccount(base.database)
  scene = { database: base.database, app: base.app, account }
  campaign = await buildCampaign(base.database, account.id, OPEN)
  admin = await Person.join(scene.app, account.id, 'admin')
})

const browser = () => new PortalBrowser(scene.app, scene.account.slug)
const address = () => `${unique('affiliate')}@example.com`
const edit = (changes: object, id = campaign.id) =>
  admin.call('updateJoinForm', {
    id,
    body: { version: 0, terms_version: 0, questions: [], terms_text: null, terms_url: null, ...changes },
  })
const ask = async (changes: object) => {
  const { status, body } = await edit({ questions: [SITE, SIZE, WHY], terms_text: 'Be nice.', ...changes })
  expect([status, body.error]).toEqual([200, undefined])
}
const FILLED: FilledForm = { version: 1, answers: ['https://a.example/', 'Many', ''], terms_version: 1 }
const requestToJoin = (email: string, form?: object, extra: object = {}) =>
  browser().call('requestToJoin', {
    body: { email, campaign_id: campaign.id, ...(form && { form }), ...extra },
  })
async function confirm(email: string) {
  await write(scene)
  return browser().post(linkIn((await emails(scene, email)).at(-1) as never))
}
const idOf = async (email: string): Promise<number> =>
  (await scene.database.owner.query('SELECT id::integer FROM affiliates WHERE email = $1', [email])).rows[0]
    ?.id
const applications = async (id: number): Promise<Application[]> =>
  (await admin.call('listApplications', { id })).body.data
const stored = async (table: 'join_answers' | 'terms_acceptances') =>
  (await scene.database.owner.query(`SELECT * FROM ${table} WHERE account_id = $1`, [scene.account.id])).rows

describe('a join form', () => {
  it('is shown with its questions and terms, and its answers with the words of the questions', async () => {
    await ask({})
    const { body: form } = await browser().call('getJoinForm', { id: campaign.id })
    expect(form).toMatchObject({
      version: 1,
      questions: [SITE, SIZE, WHY],
      terms: { version: 1, text: 'Be nice.' },
    })
    const email = address()
    expect(
      (await requestToJoin(email, { ...FILLED, answers: [' https://a.example/ ', '', NASTY] })).status,
    ).toBe(200)
    expect([await stored('join_answers'), await stored('terms_acceptances')]).toEqual([[], []])
    // Both change before the address is confirmed: what was asked and accepted stays what it was.
    const changed = { version: 1, terms_version: 1, questions: [WHY], terms_text: 'Be nicer.' }
    expect((await edit(changed)).status).toBe(200)
    expect((await confirm(email)).status).toBe(303)
    expect(await applications(await idOf(email))).toEqual([
      {
        campaign_id: campaign.id,
        campaign_name: campaign.name,
        answers: [
          { kind: 'url', question: 'Your site', answer: 'https://a.example/' },
          { kind: 'text', question: 'Why us?', answer: NASTY },
        ],
        terms: [{ version: 1, accepted_at: expect.stringMatching(/^\d{4}-.*Z$/) }],
      },
    ])
  })

  it.each<[string, number, Partial<FilledForm> | undefined]>([
    ['missing', 409, undefined],
    ['to older questions', 409, { version: 0 }],
    ['with older terms', 409, { terms_version: 0 }],
    ['without the terms', 409, { terms_version: null }],
    ['without a required answer', 422, { answers: [' ', '', ''] }],
    ['with too few answers', 422, { answers: ['https://a.example'] }],
    ['with too many', 422, { answers: Array.from({ length: 11 }, () => '') }],
    ['with a script as a URL', 422, { answers: ['javascript:alert(1)//https://a.example', '', ''] }],
    ['with words as a URL', 422, { answers: ['my site', '', ''] }],
    ['with another choice', 422, { answers: ['https://a.example', 'Some', ''] }],
    ['with a long answer', 422, { answers: ['https://a.example', '', 'x'.repeat(501)] }],
    ['with hidden characters', 422, { answers: ['https://a.example', '', 'a\u202eb'] }],
    ['of a megabyte', 413, { answers: ['https://a.example', '', 'x'.repeat(1_000_000)] }],
  ])('%s is refused, from a visitor and an affiliate', async (_name, status, change) => {
    await ask({})
    const form = change && { ...FILLED, ...change }
    expect((await requestToJoin(address(), form)).status).toBe(status)
    const elsewhere = await buildCampaign(scene.database, scene.account.id)
    const jane = await PortalBrowser.signIn(
      scene,
      (await buildAffiliate(scene.database, scene.account.id, elsewhere.id)).id,
    )
    const joining = await jane.call('joinCampaign', { id: campaign.id, body: form ? { form } : {} })
    expect(joining.status).toBe(status)
    expect(await stored('join_answers')).toEqual([])
    expect((await jane.ask('getMe')).campaigns).toHaveLength(1)
  })

  it('is stored once, however often an affiliate joins at once, and not in the audit log', async () => {
    await ask({})
    const elsewhere = await buildCampaign(scene.database, scene.account.id)
    const { id } = await buildAffiliate(scene.database, scene.account.id, elsewhere.id)
    const jane = await PortalBrowser.signIn(scene, id)
    const join = () => jane.call('joinCampaign', { id: campaign.id, body: { form: FILLED } })
    const statuses = (await Promise.all(Array.from({ length: 10 }, join))).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(
      [await stored('join_answers'), await stored('terms_acceptances')].map(rows => rows.length),
    ).toEqual([2, 1])
    const { rows } = await scene.database.owner.query(
      `SELECT details FROM audit_log WHERE account_id = $1 AND action = 'portal.join'`,
      [scene.account.id],
    )
    expect(rows[0].details).toEqual({ terms_version: 1 })
  })

  it('of someone who has joined already adds the terms, not other answers', async () => {
    await ask({})
    const { id, email } = await buildAffiliate(scene.database, scene.account.id, campaign.id, {
      email: address(),
    })
    for (const _twice of [1, 2]) {
      await requestToJoin(email, FILLED)
      expect((await confirm(email)).status).toBe(303)
    }
    expect(await applications(id)).toMatchObject([{ answers: [], terms: [{ version: 1 }] }])
  })

  it('of a private campaign is for those with its key', async () => {
    await ask({})
    await admin.call('updateCampaign', { id: campaign.id, body: { visibility: 'private' } })
    const { body } = await admin.call('getCampaign', { id: campaign.id })
    const key = new URL(body.join_link).pathname.split('/').at(-1) as string
    const read = (query: object) => browser().call('getJoinForm', { id: campaign.id, query: query as never })
    expect((await read({})).status).toBe(404)
    expect((await read({ join_key: 'wrong' })).status).toBe(404)
    expect((await read({ join_key: key })).status).toBe(200)
    const other = await buildAccount(scene.database)
    expect(
      (await new PortalBrowser(scene.app, other.slug).call('getJoinForm', { id: campaign.id })).status,
    ).toBe(404)
  })
})

describe('editing a join form', () => {
  it('keeps every version of the terms, and adds none for the same ones', async () => {
    await ask({})
    const again = { version: 1, terms_version: 1, questions: [SITE, SIZE, WHY], terms_text: ' Be nice.\n' }
    expect((await edit(again)).body).toMatchObject({ version: 1, terms_version: 1 })
    const url = 'https://example.com/terms'
    expect((await edit({ ...again, terms_text: null, terms_url: url })).body).toMatchObject({
      terms: { version: 2, url },
    })
    const { body } = await edit({ ...again, terms_version: 2, questions: [], terms_text: null })
    expect([body.version, body.questions, body.terms]).toEqual([2, [], null])
    expect(body.terms_history).toMatchObject([
      { version: 3, text: null, url: null },
      { version: 2, url },
      { version: 1, text: 'Be nice.' },
    ])
    expect((await requestToJoin(address())).status).toBe(200)
  })

  it('by two people at once, one of them sees the change of the other first', async () => {
    const changes = Array.from({ length: 8 }, (_, n) =>
      edit({ questions: [{ ...WHY, label: `Why ${n}?` }], terms_text: `Terms ${n}` }),
    )
    const statuses = (await Promise.all(changes)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
    const { body } = await admin.call('getJoinForm', { id: campaign.id })
    expect([body.version, body.terms_version, body.terms_history.length]).toEqual([1, 1, 1])
    expect(body.questions[0].label.at(4)).toBe(body.terms.text.at(-1))
  })

  it.each<[string, object]>([
    ['eleven questions', { questions: Array.from({ length: 11 }, (_, n) => ({ ...WHY, label: `${n}` })) }],
    ['a question twice', { questions: [WHY, { ...WHY, label: 'Why us? ' }] }],
    ['a blank question', { questions: [{ ...WHY, label: ' ' }] }],
    ['a question on two lines', { questions: [{ ...WHY, label: 'a\nb' }] }],
    ['a single choice', { questions: [{ ...SIZE, choices: ['Few'] }] }],
    ['the same choice twice', { questions: [{ ...SIZE, choices: ['Few', 'Few '] }] }],
    ['choices for a text', { questions: [{ ...WHY, choices: ['Few', 'Many'] }] }],
    ['an unknown kind', { questions: [{ ...WHY, kind: 'file' }] }],
    ['an unknown field', { questions: [{ ...WHY, html: '<b>' }] }],
    ['terms that run', { terms_url: 'javascript:alert(1)' }],
    ['both terms', { terms_text: 'a', terms_url: 'https://example.com' }],
    ['long terms', { terms_text: 'x'.repeat(20_001) }],
  ])('refuses %s', async (_name, changes) => {
    expect((await edit(changes)).status).toBe(422)
  })

  it('takes the permission, and the own account', async () => {
    const viewer = await Person.join(scene.app, scene.account.id, 'viewer')
    const body = { version: 0, terms_version: 0, questions: [], terms_text: 'a', terms_url: null }
    expect((await viewer.call('updateJoinForm', { id: campaign.id, body })).status).toBe(403)
    expect((await viewer.call('getJoinForm', { id: campaign.id })).status).toBe(200)
    const other = await buildAccount(scene.database)
    const theirs = await buildCampaign(scene.database, other.id, OPEN)
    expect((await edit({ terms_text: 'a' }, theirs.id)).status).toBe(404)
    const { id } = await buildAffiliate(scene.database, other.id, theirs.id)
    expect((await admin.call('listApplications', { id })).status).toBe(404)
    expect((await admin.call('deleteAnswers', { id })).status).toBe(404)
  })
})

describe('the terms of someone who has to confirm their address', () => {
  const page = async (email: string) => {
    await write(scene)
    const mail = (await emails(scene, email)).at(-1)
    const { text } = await browser().get(linkIn(mail as never))
    return { mail: mail?.text_body ?? '', text, isAccepting: /By joining, you accept/.test(text) }
  }

  it('are on the page with the button, in the version that the form was sent with', async () => {
    await ask({ terms_text: `Be nice.\n${NASTY}` })
    const email = address()
    await requestToJoin(email, FILLED)
    const changed = { version: 1, terms_version: 1, questions: [SITE, SIZE, WHY], terms_text: 'Be nicer.' }
    expect((await edit(changed)).status).toBe(200)
    const { text, mail } = await page(email)
    expect(text).toContain('Be nice.\n&lt;img src=x')
    expect(text).not.toContain('<img src=x')
    expect(text).toContain(`By joining, you accept version 1 of the terms of “${campaign.name}”.`)
    expect(mail).toContain('the terms that you accept by joining')
    expect(await stored('terms_acceptances')).toEqual([])
    await confirm(email)
    expect(await stored('terms_acceptances')).toMatchObject([{ version: 1 }])
  })

  it('are linked if they are a page elsewhere', async () => {
    await ask({ terms_text: null, terms_url: 'https://example.com/terms?a=1&b="' })
    const email = address()
    await requestToJoin(email, FILLED)
    expect((await page(email)).text).toMatch(
      /accept version 1 of .*<a href="https:\/\/example\.com\/terms\?a=1&amp;b=[^"<>]*" target="_blank" rel="noreferrer">Read/,
    )
  })

  it('are not mentioned if there were none, even if there are some by now', async () => {
    const email = address()
    await requestToJoin(email)
    await ask({})
    const { isAccepting, mail } = await page(email)
    expect([isAccepting, mail.includes('terms')]).toEqual([false, false])
    await confirm(email)
    expect(await stored('terms_acceptances')).toEqual([])
  })

  it('are accepted when they confirm, not when the form was sent', async () => {
    await ask({})
    const { email } = await buildAffiliate(scene.database, scene.account.id, campaign.id, {
      email: address(),
    })
    await requestToJoin(email, FILLED)
    await page(email)
    expect(await stored('terms_acceptances')).toEqual([])
    // The form was sent an hour ago.
    const { rows } = await scene.database.owner.query(
      `UPDATE portal_joins SET created_at = now() - interval '1 hour'
        WHERE account_id = $1 RETURNING now()::timestamptz(3) AS now`,
      [scene.account.id],
    )
    await confirm(email)
    const [acceptance] = await stored('terms_acceptances')
    expect(acceptance.accepted_at >= rows[0].now).toBe(true)
  })
})

it('answers are deleted on request, and the accepted terms stay', async () => {
  await ask({})
  const email = address()
  await requestToJoin(email, FILLED)
  await confirm(email)
  const id = await idOf(email)
  const viewer = await Person.join(scene.app, scene.account.id, 'viewer')
  expect((await viewer.call('deleteAnswers', { id })).status).toBe(403)
  expect((await admin.call('deleteAnswers', { id })).status).toBe(200)
  expect(await applications(id)).toMatchObject([{ answers: [], terms: [{ version: 1 }] }])
})

it('answers have no second copy once the address is confirmed', async () => {
  await ask({})
  const email = address()
  await requestToJoin(email, FILLED)
  await confirm(email)
  expect(await applications(await idOf(email))).toMatchObject([{ answers: [{}, {}] }])
  const { rows } = await scene.database.owner.query(
    `SELECT j.used_at IS NOT NULL AS is_used, j.answers,
            (SELECT count(*)::integer FROM notices n WHERE n.account_id = $1 AND n.kind = 'confirm_join') AS notices
       FROM portal_joins j WHERE j.account_id = $1`,
    [scene.account.id],
  )
  expect(rows).toEqual([{ is_used: true, answers: null, notices: 0 }])
})
