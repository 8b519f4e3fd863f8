import type { ConnectorMapping, MappingTrial } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { invalid, notFound } from '../kit/domain-error.ts'
import { updateMapping } from './connector.store.ts'
import { presentMapping, storedMapping } from './custom/mapping-form.ts'
import { problemOf, tryMapping } from './custom/try-mapping.ts'
import { getConnector } from './manage-connectors.ts'

interface SetMapping {
  mapping: ConnectorMapping
  /** An event to try the mapping on. */
  sample?: string | undefined
  /** Stores nothing. */
  isDryRun: boolean
}

/** Says where the fields of another system's events are, or only tries it. */
export async function setMapping(
  db: Db,
  accountId: number,
  id: number,
  { mapping, sample, isDryRun }: SetMapping,
): Promise<{ mapping: ConnectorMapping; trial: MappingTrial | null }> {
  const { provider, name, base, takes_tests: takesTests } = await getConnector(db, accountId, id)
  if (provider !== 'custom') throw invalid('mapping', `is not used for ${provider}`)
  const trial =
    sample === undefined ? null : tryMapping(mapping, sample, { base, takesTests, name }, Date.now())
  if (isDryRun) return { mapping, trial }
  const problem = problemOf(mapping)
  if (problem !== undefined) throw invalid('mapping', problem)
  const updated = await updateMapping(db, accountId, id, storedMapping(mapping))
  if (!updated) throw notFound('connector')
  return { mapping: presentMapping(updated.mapping), trial }
}
