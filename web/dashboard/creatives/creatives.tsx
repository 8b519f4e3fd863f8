import {
  ActionIcon,
  Button,
  Group,
  Menu,
  Paper,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import type { Creative } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { DownloadIcon } from '../../ui/icons.tsx'
import { useAccount, useCall, useChange, useMay } from '../shared/account.tsx'
import { pathOf } from '../shared/api.ts'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { texts as shared } from '../shared/en.ts'
import { PlusIcon } from '../shared/icons.tsx'
import { EmptyState, ErrorNotice, PageHead } from '../shared/states.tsx'
import { AddCreative } from './add-creative.tsx'
import { EditCreative } from './edit-creative.tsx'
import { texts } from './en.ts'

/** What affiliates promote with. */
export function Creatives() {
  const creatives = useCall('listCreatives')
  const mayChange = useMay('programme')
  const [isAdding, setAdding] = useState(false)
  const addButton = mayChange && (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setAdding(true)}>
      {texts.add}
    </Button>
  )
  const { data } = creatives.data ?? {}
  return (
    <>
      <PageHead title={texts.title} note={texts.note}>
        {addButton}
      </PageHead>
      {isAdding && <AddCreative onClose={() => setAdding(false)} />}
      {creatives.isPending && <Skeleton height={160} role="status" aria-label={shared.states.loading} />}
      {creatives.isError && <ErrorNotice error={creatives.error} retry={() => void creatives.refetch()} />}
      {data?.length === 0 && (
        <Paper withBorder>
          <EmptyState title={texts.empty.title} action={addButton}>
            {texts.empty.text}
          </EmptyState>
        </Paper>
      )}
      {data && data.length > 0 && (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {data.map((creative, place) => (
            <CreativeCard key={creative.id} creative={creative}>
              {mayChange && <CreativeActions creatives={data} place={place} />}
            </CreativeCard>
          ))}
        </SimpleGrid>
      )}
    </>
  )
}

const detailsOf = ({ kind, file, campaign_name: campaign }: Creative) => [
  texts.kinds[kind],
  ...(file?.width && file.height ? [texts.size(file.width, file.height)] : []),
  ...(file ? [texts.bytes(file.bytes)] : []),
  campaign ?? texts.allCampaigns,
]

/** A creative, with the actions on it. */
function CreativeCard({ creative, children }: { creative: Creative; children: ReactNode }) {
  const { id, slug } = useAccount()
  const { kind, name, text, file } = creative
  return (
    <Paper withBorder p="md" component="article" aria-label={name}>
      <Stack gap="xs" h="100%">
        {kind === 'banner' && file && (
          <img
            src={`/portal/${slug}/creative/${creative.id}/${file.version}`}
            alt={name}
            loading="lazy"
            style={{ maxWidth: '100%', height: 140, objectFit: 'contain', objectPosition: 'left' }}
          />
        )}
        {text !== null && (
          <Text size="sm" lineClamp={6} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {text}
          </Text>
        )}
        <Title order={2} size="h5" mt="auto" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Title>
        <Text size="sm" c="dimmed">
          {detailsOf(creative).join(' · ')}
        </Text>
        <Group gap="xs">
          {file && (
            <Button
              component="a"
              href={`/dashboard/api/${pathOf(id, 'getCreativeFile', { id: creative.id })}`}
              download
              size="xs"
              variant="default"
              leftSection={<DownloadIcon size={14} />}
            >
              {texts.download}
            </Button>
          )}
          {children}
        </Group>
      </Stack>
    </Paper>
  )
}

/** What can be done with a creative. Affiliates see the creatives in the order that is set here. */
function CreativeActions({ creatives, place }: { creatives: Creative[]; place: number }) {
  const creative = creatives[place] as Creative
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null)
  const close = () => setDialog(null)
  const order = useChange('orderCreatives')
  const remove = useChange('deleteCreative', { done: texts.deleted })
  const moveTo = (target: number) => {
    const ids = creatives.map(({ id }) => id)
    ids.splice(target, 0, ...ids.splice(place, 1))
    order.mutate({ body: { ids } })
  }
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={texts.editOf(creative.name)}
        onClick={() => setDialog('edit')}
      >
        {texts.edit}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={texts.actionsFor(creative.name)}>
            ⋯
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item disabled={place === 0} onClick={() => moveTo(place - 1)}>
            {texts.earlier}
          </Menu.Item>
          <Menu.Item disabled={place === creatives.length - 1} onClick={() => moveTo(place + 1)}>
            {texts.later}
          </Menu.Item>
          <Menu.Item c="var(--mantine-color-error)" onClick={() => setDialog('delete')}>
            {texts.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'edit' && <EditCreative creative={creative} onClose={close} />}
      {dialog === 'delete' && (
        <ConfirmDialog
          title={texts.deleteTitle(creative.name)}
          confirm={texts.deleteConfirm}
          colour="red"
          onConfirm={() => {
            close()
            remove.mutate({ id: creative.id })
          }}
          onClose={close}
        >
          <Text size="sm">{creative.kind === 'banner' ? texts.deleteNote : texts.deleteNoteOther}</Text>
        </ConfirmDialog>
      )}
    </>
  )
}
