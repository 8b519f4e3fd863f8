import { Autocomplete, Group, NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core'
import { fieldError } from '../shared/field-error.ts'
import { optionsOf } from '../shared/options.ts'
import { usualCurrencies } from './campaign-fields.ts'
import { texts } from './en.ts'
import type { CampaignForm } from './use-campaign-form.ts'

const { rewards } = texts
const { none, ...paid } = rewards.kinds
const kinds = optionsOf(paid)

/** What a sale earns, and which sales earn. */
export function CampaignRewards({ form, error }: { form: CampaignForm; error: Error | null }) {
  const isReferral = form.values.program_type === 'referral'
  return (
    <Stack gap="md">
      <RuleInput
        form={form}
        field="reward"
        label={isReferral ? rewards.referrer : rewards.affiliate}
        data={kinds}
        error={fieldError(error, 'commission')}
      />
      {isReferral && (
        <RuleInput
          form={form}
          field="refereeReward"
          label={rewards.referee}
          data={[{ value: 'none', label: none }, ...kinds]}
          error={fieldError(error, 'referee_reward')}
        />
      )}
      <Group align="flex-start" gap="sm">
        <Select
          label={rewards.recurrence}
          data={optionsOf(rewards.recurrences)}
          allowDeselect={false}
          flex="1 1 260px"
          maw={360}
          {...form.getInputProps('recurrence')}
        />
        {form.values.recurrence === 'months' && (
          <NumberInput
            label={rewards.months}
            min={1}
            max={1200}
            allowDecimal={false}
            w={200}
            required
            {...form.getInputProps('months')}
          />
        )}
      </Group>
      {isReferral && (
        <Switch
          label={rewards.credit}
          description={rewards.creditHint}
          {...form.getInputProps('isCredit', { type: 'checkbox' })}
        />
      )}
    </Stack>
  )
}

function RuleInput({
  form,
  field,
  label,
  data,
  error,
}: {
  form: CampaignForm
  field: 'reward' | 'refereeReward'
  label: string
  data: { value: string; label: string }[]
  error: string | undefined
}) {
  const { kind } = form.values[field]
  const problem = form.errors[field] ?? error
  return (
    <Group align="flex-start" gap="sm">
      <Select
        label={label}
        data={data}
        allowDeselect={false}
        flex="1 1 200px"
        maw={240}
        {...form.getInputProps(`${field}.kind`)}
      />
      {kind === 'percent' && (
        <TextInput
          label={rewards.percent}
          inputMode="decimal"
          placeholder={rewards.percentExample}
          rightSection="%"
          w={140}
          required
          {...form.getInputProps(`${field}.percent`)}
          error={problem}
        />
      )}
      {kind === 'flat' && (
        <>
          <TextInput
            label={rewards.amount}
            inputMode="decimal"
            placeholder={rewards.amountExample}
            w={140}
            required
            {...form.getInputProps(`${field}.amount`)}
            error={problem}
          />
          <Autocomplete
            label={rewards.currency}
            data={usualCurrencies}
            maxLength={3}
            w={110}
            required
            {...form.getInputProps(`${field}.currency`)}
            onChange={code => form.setFieldValue(`${field}.currency`, code.toUpperCase())}
          />
        </>
      )}
    </Group>
  )
}
