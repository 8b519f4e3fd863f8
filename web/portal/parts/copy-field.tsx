import { Button, CopyButton, Group, TextInput } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { CheckIcon, CopyIcon } from '../../ui/icons.tsx'

/** Something to be taken elsewhere: it can be read, selected, and copied at a tap. */
export function CopyField({ value, label, copyLabel }: { value: string; label: string; copyLabel: string }) {
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <TextInput
        aria-label={label}
        value={value}
        readOnly
        size="md"
        style={{ flex: 1, minWidth: 0 }}
        onFocus={event => event.currentTarget.select()}
      />
      <CopyButton value={value} timeout={1500}>
        {({ copied, copy }) => (
          <Button
            size="md"
            px="sm"
            onClick={copy}
            leftSection={copied ? <CheckIcon /> : <CopyIcon />}
            aria-label={copyLabel}
          >
            {copied ? pages.common.copied : copyLabel.split(' ')[0]}
          </Button>
        )}
      </CopyButton>
    </Group>
  )
}
