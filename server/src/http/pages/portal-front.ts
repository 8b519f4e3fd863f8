import type { FastifyInstance } from 'fastify'
import type { Services } from '../../db/services.ts'
import { notFound } from '../../kit/domain-error.ts'
import { listSomeSlugs } from '../../programme/accounts/account.store.ts'
import { sendPlainPage } from '../response/plain-page.ts'
import { prefersJson } from '../response/wants-page.ts'

const whichProgramme = {
  title: 'Which programme?',
  text: 'This address is incomplete. Use the portal link from your welcome email.',
}

/** `/portal` without an account: redirects if there is only one portal, and otherwise does not reveal which exist. */
export function portalFront({ db }: Services) {
  return async function register(app: FastifyInstance): Promise<void> {
    app.get('/portal', async (request, reply) => {
      const [slug, ...others] = await listSomeSlugs(db, 2)
      if (slug !== undefined && others.length === 0)
        return reply.header('Cache-Control', 'no-store').redirect(`/portal/${slug}`)
      if (prefersJson(request)) throw notFound('portal')
      return sendPlainPage(reply.code(404), whichProgramme)
    })
  }
}
