import { ActionIcon, Button } from '@mantine/core'
import { Spotlight, spotlight } from '@mantine/spotlight'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { SessionInfo } from '@tributary/contract/dashboard'
import { SearchIcon } from '../shared/icons.tsx'
import { texts } from './en.ts'
import { places } from './places.ts'

/** The command palette (Ctrl+K): every page, the most common actions, other accounts. */
export function Palette({ accounts }: { accounts: SessionInfo['accounts'] }) {
  const navigate = useNavigate()
  const { account } = useParams({ strict: false })
  const go = (page: string, slug = account) => void navigate({ to: `/${slug}/${page}` })
  const actions = [
    {
      group: texts.pages.label,
      actions: places.map(({ path, label }) => ({ id: path, label, onClick: () => go(path) })),
    },
    {
      group: texts.search.actions,
      actions: [
        { id: 'new-payout', label: texts.search.newPayout, onClick: () => go('payouts/new') },
        { id: 'new-campaign', label: texts.search.newCampaign, onClick: () => go('campaigns/new') },
        { id: 'import', label: texts.search.importAffiliates, onClick: () => go('affiliates/import') },
        { id: 'keys', label: texts.search.apiKeys, onClick: () => go('settings/api-keys') },
        { id: 'team', label: texts.search.inviteMember, onClick: () => go('settings/team') },
      ],
    },
    ...(accounts.length > 1
      ? [
          {
            group: texts.account.all,
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
        {texts.search.button}
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        hiddenFrom="sm"
        aria-label={texts.search.label}
        onClick={spotlight.open}
      >
        <SearchIcon />
      </ActionIcon>
      <Spotlight
        actions={actions}
        nothingFound={texts.search.empty}
        highlightQuery
        searchProps={{ placeholder: texts.search.placeholder, 'aria-label': texts.search.label }}
      />
    </>
  )
}
