import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { MailTemplate } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useCall } from '../shared/account.tsx'
import { EditEmailText } from './edit-email-text.tsx'
import { texts } from './en.ts'

const { emailTexts: labels } = texts

/** The emails whose text can be changed. */
export function EmailTexts() {
  const templates = useCall('listMailTemplates')
  const [edited, setEdited] = useState<MailTemplate | null>(null)
  if (!templates.data) return null
  return (
    <Paper withBorder p="md" maw={620}>
      <Title order={3} size="h5">
        {labels.title}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {labels.note}
      </Text>
      <Stack gap="xs">
        {templates.data.data.map(template => (
          <Group key={template.kind} justify="space-between" wrap="nowrap">
            <Text size="sm">{texts.email.kinds[template.kind].label}</Text>
            <Group gap="xs" wrap="nowrap">
              <Badge variant="light" color={template.changed_at ? 'teal' : 'gray'} autoContrast>
                {template.changed_at ? labels.changed : labels.default}
              </Badge>
              <Button
                size="xs"
                variant="default"
                aria-label={labels.editOf(texts.email.kinds[template.kind].label)}
                onClick={() => setEdited(template)}
              >
                {labels.edit}
              </Button>
            </Group>
          </Group>
        ))}
      </Stack>
      {edited && <EditEmailText template={edited} onClose={() => setEdited(null)} />}
    </Paper>
  )
}
