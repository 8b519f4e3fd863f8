import { ActionIcon, Button } from '@mantine/core'
import { Spotlight, spotlight } from '@mantine/spotlight'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { SessionInfo } from '@tributary/contract/dashboard'
import { SearchIcon } from '../shared/icons.tsx'
import { places } from './places.ts'

/** Everything within reach of the keyboard: Ctrl+K, a few letters, Enter. */
export function Palette({ accounts }: { accounts: SessionInfo['accounts'] }) {
  const navigate = useNavigate()
  const { account } = useParams({ strict: false })
  const go = (page: string, slug = account) => void navigate({ to: `/${slug}/${page}` })
  const actions = [
    {
      group: 'Pages',
      actions: places.map(({ path, label }) => ({ id: path, label, onClick: () => go(path) })),
    },
    {
      group: 'Do',
      actions: [
        { id: 'new-payout', label: 'New payout', onClick: () => go('payouts/new') },
        { id: 'new-campaign', label: 'New campaign', onClick: () => go('campaigns/new') },
        { id: 'import', label: 'Import affiliates', onClick: () => go('affiliates/import') },
        { id: 'keys', label: 'API keys', onClick: () => go('settings/api-keys') },
        { id: 'team', label: 'Invite somebody to the team', onClick: () => go('settings/team') },
      ],
    },
    ...(accounts.length > 1
      ? [
          {
            group: 'Accounts',
            actions: accounts.map(({ id, name, slug }) => ({
              id: `account-${id}`,
              label: name,
              onClick: () => go('overview', slug),
            })),
          },
        ]
      : []),
  ]
  return (
    <>
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        leftSection={<SearchIcon size={14} />}
        onClick={spotlight.open}
        c="dimmed"
      >
        Go to… Ctrl+K
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        hiddenFrom="sm"
        aria-label="Go to…"
        onClick={spotlight.open}
      >
        <SearchIcon />
      </ActionIcon>
      <Spotlight
        actions={actions}
        nothingFound="Nothing of that name"
        highlightQuery
        searchProps={{ placeholder: 'Go to…', 'aria-label': 'Go to' }}
      />
    </>
  )
}
