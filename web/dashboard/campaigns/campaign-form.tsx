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
import { texts as shared } from '../shared/en.ts'
import { fieldError } from '../shared/field-error.ts'
import { optionsOf } from '../shared/options.ts'
import { Section } from '../shared/section.tsx'
import { type CampaignFields, usualCurrencies } from './campaign-fields.ts'
import { CampaignRewards } from './campaign-rewards.tsx'
import { texts } from './en.ts'
import { type CampaignForm, useCampaignForm } from './use-campaign-form.ts'

const { form: labels } = texts

/** The form for a new or an existing campaign. */
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
        <Section
          title={form.values.program_type === 'referral' ? texts.rewards.rewards : texts.rewards.commission}
        >
          {!isNew && (
            <Alert variant="light" mb="md" p="sm">
              {labels.ruleChange}
            </Alert>
          )}
          <CampaignRewards form={form} error={error} />
        </Section>
        <Attribution form={form} error={error} />
        <Payment form={form} error={error} />
        <Group>
          <Button type="submit" loading={isBusy} disabled={!isNew && !form.isDirty()}>
            {isNew ? texts.create.submit : shared.actions.save}
          </Button>
          {!isNew && form.isDirty() && (
            <Button variant="default" onClick={form.reset}>
              {shared.actions.discard}
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
    <Section title={labels.general}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, sm: isNew ? 2 : 1 }}>
          <TextInput
            label={labels.name}
            description={labels.nameHint}
            required
            maxLength={255}
            {...form.getInputProps('name')}
          />
          {isNew && (
            <TextInput
              label={labels.slug}
              description={labels.slugHint}
              placeholder={labels.slugExample}
              maxLength={64}
              {...form.getInputProps('slug')}
              error={form.errors.slug ?? fieldError(error, 'slug')}
            />
          )}
        </SimpleGrid>
        {isNew && <Kind form={form} />}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={labels.visibility}
            description={labels.visibilityHint}
            data={optionsOf(labels.visibilities)}
            allowDeselect={false}
            {...form.getInputProps('visibility')}
          />
          <TextInput
            label={labels.destination}
            description={labels.destinationHint}
            placeholder={labels.destinationExample}
            type="url"
            maxLength={2048}
            {...form.getInputProps('destination_url')}
            error={form.errors.destination_url ?? fieldError(error, 'destination_url')}
          />
        </SimpleGrid>
        <Switch
          label={labels.openEnrolment}
          description={labels.openEnrolmentHint}
          {...form.getInputProps('open_enrollment', { type: 'checkbox' })}
        />
      </Stack>
    </Section>
  )
}

/** Fields that can't change once the campaign exists. */
function Kind({ form }: { form: CampaignForm }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Radio.Group label={labels.type} description={labels.typeHint} {...form.getInputProps('program_type')}>
        <Stack gap={6} mt={6}>
          <Radio value="affiliate" label={texts.types.affiliate} description={labels.affiliateHint} />
          <Radio value="referral" label={texts.types.referral} description={labels.referralHint} />
        </Stack>
      </Radio.Group>
      <Autocomplete
        label={labels.currency}
        description={labels.currencyHint}
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
    <Section title={labels.attribution}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={labels.model}
            description={labels.modelHint}
            data={optionsOf(texts.models)}
            allowDeselect={false}
            {...form.getInputProps('attribution_model')}
          />
          <NumberInput
            label={labels.window}
            description={labels.windowHint}
            min={1}
            max={3650}
            allowDecimal={false}
            required
            {...form.getInputProps('attribution_window_days')}
          />
        </SimpleGrid>
        <Switch
          label={labels.reviewReferrals}
          description={labels.reviewReferralsHint}
          {...form.getInputProps('review_referrals', { type: 'checkbox' })}
        />
        <Switch
          label={labels.lookBack}
          description={labels.lookBackHint}
          {...form.getInputProps('look_back', { type: 'checkbox' })}
        />
        <Switch
          label={labels.forbidsPaidSearch}
          description={labels.forbidsPaidSearchHint}
          {...form.getInputProps('forbids_paid_search', { type: 'checkbox' })}
        />
      </Stack>
    </Section>
  )
}

function Payment({ form }: PartProps) {
  const currency = form.values.payout_currency
  return (
    <Section title={labels.payouts}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NumberInput
          label={labels.hold}
          description={labels.holdHint}
          min={0}
          max={3650}
          allowDecimal={false}
          required
          {...form.getInputProps('hold_days')}
        />
        <TextInput
          label={labels.minimum(currency)}
          description={labels.minimumHint}
          inputMode="decimal"
          required
          {...form.getInputProps('minimum')}
        />
      </SimpleGrid>
    </Section>
  )
}
