import { Badge, Button, Group, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import type { AffiliateDetail } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { words } from '../../ui/format.ts'
import { useChange, useMay } from '../shared/account.tsx'
import { FactList } from '../shared/fact-list.tsx'
import { Copy } from '../shared/facts.tsx'
import { fieldError } from '../shared/field-error.ts'
import { changesOf, type Fields, fieldsOf } from './affiliate-fields.ts'

const kinds = [
  { value: 'affiliate', label: 'Affiliate: a partner' },
  { value: 'customer', label: 'Customer: recommends to friends' },
]

/** What is known about the affiliate, to be changed by who may. */
export function AffiliateDetails({ affiliate }: { affiliate: AffiliateDetail }) {
  // A change that came from elsewhere begins the form anew.
  const key = JSON.stringify(fieldsOf(affiliate))
  return useMay('programme') ? <Edit key={key} affiliate={affiliate} /> : <Facts affiliate={affiliate} />
}

function Edit({ affiliate }: { affiliate: AffiliateDetail }) {
  const before = fieldsOf(affiliate)
  const [fields, setFields] = useState(before)
  const change = useChange('updateAffiliate', { done: 'Saved.' })
  const changes = changesOf(before, fields)
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
        if (isChanged) change.mutate({ id: affiliate.id, body: changes })
      }}
    >
      <Stack gap="sm">
        <TextInput label="Name" maxLength={255} {...text('name')} />
        <TextInput label="Email" type="email" required maxLength={254} {...text('email')} />
        <Select
          label="Kind"
          data={kinds}
          value={fields.kind}
          onChange={kind => kind && setFields({ ...fields, kind: kind as Fields['kind'] })}
          allowDeselect={false}
        />
        <TextInput
          label="Token"
          description="Names the affiliate in links. Links with the old token stop working when it changes."
          required
          pattern="[A-Za-z0-9_\-]{3,64}"
          title="3 to 64 letters of A-Z, a-z, digits, _ and -"
          {...text('token')}
        />
        <TextInput
          label="Coupon code"
          description="A sale with this code is theirs, whatever was clicked before."
          maxLength={64}
          {...text('coupon_code')}
        />
        <TextInput
          label="PayPal email"
          description="Where PayPal payouts go."
          type="email"
          maxLength={254}
          {...text('paypal_email')}
        />
        <TagsInput
          label="Tags"
          placeholder={fields.tags.length === 0 ? 'Type and press Enter' : undefined}
          value={fields.tags}
          onChange={tags => setFields({ ...fields, tags })}
          maxTags={50}
          error={fieldError(change.error, 'tags')}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear Tags' }}
        />
        <Group>
          <Button type="submit" disabled={!isChanged} loading={change.isPending}>
            Save
          </Button>
          {isChanged && (
            <Button variant="default" onClick={() => setFields(before)}>
              Discard
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
        ['Name', affiliate.name ?? '–'],
        [
          'Email',
          <Copy key="email" value={affiliate.email} label="Copy the email">
            {affiliate.email}
          </Copy>,
        ],
        ['Kind', words(affiliate.kind)],
        ['Token', affiliate.token],
        ['Coupon code', affiliate.coupon_code ?? '–'],
        ['PayPal email', affiliate.paypal_email ?? '–'],
        [
          'Tags',
          affiliate.tags.length === 0
            ? '–'
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
