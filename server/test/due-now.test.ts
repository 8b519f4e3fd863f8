/** Protects work that is due at once: a worker that looks in the same millisecond finds it, however the time was rounded. */
import { expect, it } from 'vitest'
import { claimCode } from '../src/connectors/codes/code.store.ts'
import { lockBusyConnector } from '../src/connectors/connector.store.ts'
import { insertEvents, nextDueEvent } from '../src/connectors/connector-event.store.ts'
import type { Tx } from '../src/db/database.ts'
import { sql } from '../src/db/sql.ts'
import { claimMails, insertMail } from '../src/mail/mail.store.ts'
import { connectBilling } from './connectors/scene.ts'
import { unique } from './factories.ts'
import { useOwnScene } from './harness.ts'

const scene = useOwnScene()

/** Half of all times are rounded up. In one transaction, no time passes between making something due and looking for it. */
async function foundEachTime(makeDue: (tx: Tx) => Promise<unknown>, take: (tx: Tx) => Promise<unknown>) {
  for (let round = 0; round < 20; round++)
    await scene.database.db.transaction(async tx => {
      await makeDue(tx)
      expect(await take(tx)).toBeTruthy()
    })
}

it('an email', () =>
  foundEachTime(
    tx =>
      insertMail(tx, scene.account.id, {
        kind: 'joined',
        to: 'jane@example.com',
        fromName: null,
        replyTo: null,
        subject: 'Now',
        text: 'Now',
        html: 'Now',
      }),
    async tx => (await claimMails(tx, 1))[0],
  ))

it('an event of a billing system', async () => {
  const { connector } = await connectBilling(scene)
  await foundEachTime(
    tx => {
      const event = { id: unique('evt'), type: 'invoice.paid', occurredAt: new Date().toISOString() }
      return insertEvents(tx, [{ accountId: scene.account.id, connectorId: connector.id, event, body: '{}' }])
    },
    async tx => {
      expect(await lockBusyConnector(tx)).toBeTruthy()
      const event = await nextDueEvent(tx, scene.account.id, connector.id)
      await tx.many(sql`
        UPDATE connector_events SET due_at = NULL WHERE account_id = ${scene.account.id} AND id = ${event?.id}`)
      return event
    },
  )
})

it('a code to be created at a provider', async () => {
  const { connector, affiliate } = await connectBilling(scene)
  await foundEachTime(
    tx =>
      tx.many(sql`
        INSERT INTO connector_codes (account_id, connector_id, affiliate_id, code, code_key)
        SELECT ${scene.account.id}, ${connector.id}, ${affiliate.id}, k.code, k.code
          FROM (SELECT ${unique('code')}::text) AS k (code)`),
    claimCode,
  )
})
