import { Stack } from '@mantine/core'
import { Digests } from './digests.tsx'
import { EmailSwitches } from './email-switches.tsx'
import { EmailTexts } from './email-texts.tsx'
import { texts } from './en.ts'
import { MailServer } from './mail-server.tsx'
import { SentEmails } from './sent-emails.tsx'
import { SettingsSection } from './settings-section.tsx'

export function EmailSettings() {
  return (
    <SettingsSection title={texts.sections.email} note={texts.email.note}>
      <Stack>
        <MailServer />
        <EmailSwitches />
        <Digests />
        <EmailTexts />
        <SentEmails />
      </Stack>
    </SettingsSection>
  )
}
