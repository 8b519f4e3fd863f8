import {
  Alert,
  Autocomplete,
  Button,
  Group,
  NumberInput,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core'
import { fieldError } from '../shared/field-error.ts'
import { Section } from '../shared/section.tsx'
import { type CampaignFields, usualCurrencies } from './campaign-fields.ts'
import { CampaignRewards } from './campaign-rewards.tsx'
import { type CampaignForm, useCampaignForm } from './use-campaign-form.ts'

/** The terms of a campaign, new or to be changed. */
export function CampaignFormFields({
  initial,
  isNew,
  isBusy,
  error,
  onSave,
}: {
  initial: CampaignFields
  isNew: boolean
  isBusy: boolean
  error: Error | null
  onSave: (fields: CampaignFields) => void
}) {
  const form = useCampaignForm(initial)
  return (
    <form onSubmit={form.onSubmit(onSave)} noValidate>
      <Stack gap="md">
        <Basics form={form} isNew={isNew} error={error} />
        <Section title={form.values.program_type === 'referral' ? 'Rewards' : 'Commission'}>
          {!isNew && (
            <Alert variant="light" mb="md" p="sm">
              A changed rule counts for sales from now on. What has been earned keeps the rule that made it.
            </Alert>
          )}
          <CampaignRewards form={form} error={error} />
        </Section>
        <Attribution form={form} error={error} />
        <Payment form={form} error={error} />
        <Group>
          <Button type="submit" loading={isBusy} disabled={!isNew && !form.isDirty()}>
            {isNew ? 'Create campaign' : 'Save'}
          </Button>
          {!isNew && form.isDirty() && (
            <Button variant="default" onClick={form.reset}>
              Discard
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

interface PartProps {
  form: CampaignForm
  error: Error | null
}

function Basics({ form, isNew, error }: PartProps & { isNew: boolean }) {
  return (
    <Section title="The campaign">
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, sm: isNew ? 2 : 1 }}>
          <TextInput
            label="Name"
            description="As affiliates see it."
            required
            maxLength={255}
            {...form.getInputProps('name')}
          />
          {isNew && (
            <TextInput
              label="Slug"
              description="Its name in links; stays as it is. Empty: made from the name."
              placeholder="partner-programme"
              maxLength={64}
              {...form.getInputProps('slug')}
              error={form.errors.slug ?? fieldError(error, 'slug')}
            />
          )}
        </SimpleGrid>
        {isNew && <Kind form={form} />}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label="Visibility"
            description="Whether the portal lists it."
            data={[
              { value: 'private', label: 'Private: not listed in the portal' },
              { value: 'public', label: 'Public: listed in the portal' },
            ]}
            allowDeselect={false}
            {...form.getInputProps('visibility')}
          />
          <TextInput
            label="Destination"
            description="The page of yours that links lead to."
            placeholder="https://example.com"
            type="url"
            maxLength={2048}
            {...form.getInputProps('destination_url')}
            error={form.errors.destination_url ?? fieldError(error, 'destination_url')}
          />
        </SimpleGrid>
        <Switch
          label="Open enrolment"
          description="People can join by themselves with the join link; you still approve them. Otherwise a public campaign is listed as by invitation."
          {...form.getInputProps('open_enrollment', { type: 'checkbox' })}
        />
      </Stack>
    </Section>
  )
}

/** What is for good once the campaign exists. */
function Kind({ form }: { form: CampaignForm }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Radio.Group
        label="Type"
        description="Stays as it is once the campaign exists."
        {...form.getInputProps('program_type')}
      >
        <Stack gap={6} mt={6}>
          <Radio value="affiliate" label="Affiliate" description="Partners promote and earn commissions." />
          <Radio
            value="referral"
            label="Referral"
            description="Customers recommend; both sides can be rewarded."
          />
        </Stack>
      </Radio.Group>
      <Autocomplete
        label="Payout currency"
        description="What affiliates are paid in; stays as it is."
        data={usualCurrencies}
        maxLength={3}
        required
        {...form.getInputProps('payout_currency')}
        onChange={code => form.setFieldValue('payout_currency', code.toUpperCase())}
      />
    </SimpleGrid>
  )
}

function Attribution({ form }: PartProps) {
  return (
    <Section title="Who gets the credit">
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label="Attribution model"
            description="Which click wins. A coupon code beats clicks."
            data={[
              { value: 'last_click', label: 'Last click' },
              { value: 'first_click', label: 'First click' },
            ]}
            allowDeselect={false}
            {...form.getInputProps('attribution_model')}
          />
          <NumberInput
            label="Attribution window (days)"
            description="For how long a click counts."
            min={1}
            max={3650}
            allowDecimal={false}
            required
            {...form.getInputProps('attribution_window_days')}
          />
        </SimpleGrid>
        <Switch
          label="Review every referral"
          description="Nothing of a referral is paid before you approve it. Otherwise only suspicious ones wait."
          {...form.getInputProps('review_referrals', { type: 'checkbox' })}
        />
        <Switch
          label="Credit past conversions on approval"
          description="When you approve a pending affiliate, conversions they brought within the attribution window are credited, each with its first sale."
          {...form.getInputProps('look_back', { type: 'checkbox' })}
        />
      </Stack>
    </Section>
  )
}

function Payment({ form }: PartProps) {
  const currency = form.values.payout_currency
  return (
    <Section title="Payment">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NumberInput
          label="Hold (days)"
          description="How long new commissions wait for refunds."
          min={0}
          max={3650}
          allowDecimal={false}
          required
          {...form.getInputProps('hold_days')}
        />
        <TextInput
          label={`Minimum payout in ${currency}`}
          description="Who is owed less waits for the next payout."
          inputMode="decimal"
          required
          {...form.getInputProps('minimum')}
        />
      </SimpleGrid>
    </Section>
  )
}
