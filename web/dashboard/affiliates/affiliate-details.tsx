import { Badge, Button, Group, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import type { AffiliateDetail } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useChange, useMay } from '../shared/account.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { texts as shared } from '../shared/en.ts'
import { FactList } from '../shared/fact-list.tsx'
import { Copy } from '../shared/facts.tsx'
import { fieldError } from '../shared/field-error.ts'
import { optionsOf } from '../shared/options.ts'
import { changesOf, type Fields, fieldsOf } from './affiliate-fields.ts'
import { texts } from './en.ts'

const { details: hints, fields: names } = texts

/** The affiliate's details: a form for users who can edit them, a list for the others. */
export function AffiliateDetails({ affiliate }: { affiliate: AffiliateDetail }) {
  // A change made elsewhere resets the form.
  const key = JSON.stringify(fieldsOf(affiliate))
  return useMay('programme') ? <Edit key={key} affiliate={affiliate} /> : <Facts affiliate={affiliate} />
}

/** Old tokens still lead to the affiliate. */
const tokenHint = ({ old_tokens: old }: AffiliateDetail) =>
  old.length === 0 ? hints.tokenHint : `${hints.tokenHint} ${hints.oldTokens(old.join(', '))}`

function Edit({ affiliate }: { affiliate: AffiliateDetail }) {
  const before = fieldsOf(affiliate)
  const [fields, setFields] = useState(before)
  const change = useChange('updateAffiliate', { done: hints.updated })
  const changes = changesOf(before, fields)
  const [isAsking, setAsking] = useState(false)
  const save = () => change.mutate({ id: affiliate.id, body: changes })
  const isChanged = Object.keys(changes).length > 0
  const text = (name: Exclude<keyof Fields, 'kind' | 'tags'>) => ({
    name,
    value: fields[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setFields(now => ({ ...now, [name]: value }))
    },
    error: fieldError(change.error, name),
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (changes.token !== undefined) setAsking(true)
        else if (isChanged) save()
      }}
    >
      {isAsking && changes.token !== undefined && (
        <ConfirmDialog
          title={hints.changeToken}
          confirm={hints.changeToken}
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false)
            save()
          }}
        >
          <Text size="sm">{hints.tokenEffect(before.token, fields.token.trim())}</Text>
        </ConfirmDialog>
      )}
      <Stack gap="sm">
        <TextInput label={names.name} maxLength={255} {...text('name')} />
        <TextInput label={names.email} type="email" required maxLength={254} {...text('email')} />
        <Select
          label={names.kind}
          data={optionsOf(hints.kinds)}
          value={fields.kind}
          onChange={kind => kind && setFields({ ...fields, kind: kind as Fields['kind'] })}
          allowDeselect={false}
        />
        <TextInput
          label={names.token}
          description={tokenHint(affiliate)}
          required
          pattern="[A-Za-z0-9_\-]{3,64}"
          title={hints.tokenFormat}
          {...text('token')}
        />
        <TextInput
          label={names.couponCode}
          description={hints.couponHint}
          maxLength={64}
          {...text('coupon_code')}
        />
        <TextInput
          label={names.paypalEmail}
          description={hints.paypalHint}
          type="email"
          maxLength={254}
          {...text('paypal_email')}
        />
        <TagsInput
          label={names.tags}
          placeholder={fields.tags.length === 0 ? hints.tagsHint : undefined}
          value={fields.tags}
          onChange={tags => setFields({ ...fields, tags })}
          maxTags={50}
          error={fieldError(change.error, 'tags')}
          clearable
          clearButtonProps={{ 'aria-label': shared.filters.clearOne(names.tags) }}
        />
        <Group>
          <Button type="submit" disabled={!isChanged} loading={change.isPending}>
            {shared.actions.save}
          </Button>
          {isChanged && (
            <Button variant="default" onClick={() => setFields(before)}>
              {shared.actions.discard}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

function Facts({ affiliate }: { affiliate: AffiliateDetail }) {
  return (
    <FactList
      facts={[
        [names.name, affiliate.name ?? shared.states.none],
        [
          names.email,
          <Copy key="email" value={affiliate.email} label={hints.copyEmail}>
            {affiliate.email}
          </Copy>,
        ],
        [names.kind, texts.kinds[affiliate.kind]],
        [names.token, affiliate.token],
        ...(affiliate.old_tokens.length > 0
          ? [[names.oldTokens, affiliate.old_tokens.join(', ')] as [string, string]]
          : []),
        [names.couponCode, affiliate.coupon_code ?? shared.states.none],
        [names.paypalEmail, affiliate.paypal_email ?? shared.states.none],
        [
          names.tags,
          affiliate.tags.length === 0
            ? shared.states.none
            : affiliate.tags.map(tag => (
                <Badge key={tag} variant="outline" color="gray" tt="none" mr={4}>
                  {tag}
                </Badge>
              )),
        ],
      ]}
    />
  )
}
