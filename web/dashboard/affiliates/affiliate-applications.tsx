import { Anchor, Button, Stack, Text } from '@mantine/core'
import type { Application } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useCall, useChange, useMay } from '../shared/account.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { When } from '../shared/facts.tsx'
import { Section } from '../shared/section.tsx'
import { ErrorNotice } from '../shared/states.tsx'
import { texts } from './en.ts'

const { applications: labels } = texts

/** What an affiliate answered and accepted when they joined. Nothing if they weren't asked. */
export function AffiliateApplications({ affiliateId }: { affiliateId: number }) {
  const mayDelete = useMay('programme')
  const applications = useCall('listApplications', { id: affiliateId })
  const remove = useChange('deleteAnswers', { done: labels.deleted })
  const [isAsked, setAsked] = useState(false)
  if (applications.isError)
    return <ErrorNotice error={applications.error} retry={() => void applications.refetch()} />
  const data = applications.data?.data ?? []
  if (data.length === 0) return null
  return (
    <Section title={labels.title}>
      <Stack gap="md" align="flex-start">
        {data.map(application => (
          <ApplicationFacts key={application.campaign_id} application={application} />
        ))}
        {mayDelete && data.some(({ answers }) => answers.length > 0) && (
          <Button variant="subtle" color="red" size="compact-sm" onClick={() => setAsked(true)}>
            {labels.delete}
          </Button>
        )}
      </Stack>
      {isAsked && (
        <ConfirmDialog
          title={labels.deleteTitle}
          confirm={labels.delete}
          colour="red"
          onClose={() => setAsked(false)}
          onConfirm={() => {
            remove.mutate({ id: affiliateId })
            setAsked(false)
          }}
        >
          <Text size="sm">{labels.deleteText}</Text>
        </ConfirmDialog>
      )}
    </Section>
  )
}

/** The answers of one applicant, where a decision about them is confirmed. */
export function ApplicantAnswers({ affiliateId }: { affiliateId: number }) {
  const applications = useCall('listApplications', { id: affiliateId })
  const data = applications.data?.data ?? []
  return data.map(application => <ApplicationFacts key={application.campaign_id} application={application} />)
}

function ApplicationFacts({ application: { campaign_name, answers, terms } }: { application: Application }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {campaign_name}
      </Text>
      <dl style={{ margin: 0 }}>
        {answers.map(({ question, answer, kind }) => (
          <div key={question} style={{ marginTop: 6 }}>
            <Text component="dt" size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {question}
            </Text>
            <Text component="dd" size="sm" m={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {/* Only http and https are stored; any other address stays text, whatever is stored. */}
              {kind === 'url' && /^https?:\/\//i.test(answer) ? (
                <Anchor href={answer} target="_blank" rel="noreferrer nofollow" inherit>
                  {answer}
                </Anchor>
              ) : (
                answer
              )}
            </Text>
          </div>
        ))}
      </dl>
      {terms.map(({ version, accepted_at }) => (
        <Text key={version} size="sm" mt={6}>
          {labels.accepted(version)} <When time={accepted_at} withTime />
        </Text>
      ))}
    </div>
  )
}
