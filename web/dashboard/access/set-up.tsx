import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { TimeZoneSelect } from '../shared/time-zone-select.tsx'
import { browserZone } from '../shared/time-zones.ts'
import { CardPage } from './card-page.tsx'
import { texts } from './en.ts'
import { PersonForm } from './person-form.tsx'

const { fields, setUp } = texts

export function SetUp() {
  const navigate = useNavigate()
  const [zone] = useState(browserZone)
  return (
    <CardPage title={setUp.title} note={setUp.note}>
      <PersonForm path="setup" label={setUp.submit} onDone={() => navigate({ to: '/' })}>
        <TextInput
          label={setUp.code}
          name="code"
          description={setUp.codeHint}
          placeholder={setUp.codeExample}
          autoComplete="off"
          required
          autoFocus
        />
        <TextInput
          label={setUp.company}
          name="company"
          autoComplete="organization"
          required
          maxLength={255}
        />
        <TextInput label={fields.email} name="email" type="email" autoComplete="username" required />
        <TextInput
          type="password"
          label={fields.password}
          name="password"
          description={fields.passwordHint}
          autoComplete="new-password"
          minLength={8}
          required
        />
        <TimeZoneSelect name="time_zone" description={setUp.timeZone} current={zone} defaultValue={zone} />
      </PersonForm>
    </CardPage>
  )
}
