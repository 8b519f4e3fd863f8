import { Button, Group, Text } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { useMe } from '../shared/me.tsx'
import { Problem } from '../shared/states.tsx'

/** The end of a form: what went wrong, the button, and a note once it is saved. A team member who views the portal can't save. */
export function Save({
  change,
}: {
  change: { error: Error | null; isPending: boolean; isSuccess: boolean }
}) {
  const me = useMe()
  return (
    <>
      {change.error && <Problem error={change.error} />}
      <Group>
        <Button type="submit" loading={change.isPending} disabled={me.view !== null}>
          {pages.common.save}
        </Button>
        {change.isSuccess && (
          <Text size="sm" role="status">
            {pages.common.saved}
          </Text>
        )}
      </Group>
    </>
  )
}
