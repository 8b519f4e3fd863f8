import { Autocomplete, Group, NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core'
import { fieldError } from '../shared/field-error.ts'
import { usualCurrencies } from './campaign-fields.ts'
import type { CampaignForm } from './use-campaign-form.ts'

const kinds = [
  { value: 'percent', label: 'A share of the sale' },
  { value: 'flat', label: 'A fixed amount' },
]

/** What a sale earns, and for how long. */
export function CampaignRewards({ form, error }: { form: CampaignForm; error: Error | null }) {
  const isReferral = form.values.program_type === 'referral'
  return (
    <Stack gap="md">
      <RuleInput
        form={form}
        field="reward"
        label={isReferral ? 'Who refers gets' : 'Affiliates get'}
        data={kinds}
        error={fieldError(error, 'commission')}
      />
      {isReferral && (
        <RuleInput
          form={form}
          field="refereeReward"
          label="The new customer gets"
          data={[{ value: 'none', label: 'Nothing' }, ...kinds]}
          error={fieldError(error, 'referee_reward')}
        />
      )}
      <Group align="flex-start" gap="sm">
        <Select
          label="Which sales earn"
          data={[
            { value: 'first', label: 'The first sale only' },
            { value: 'months', label: 'Sales of a number of months' },
            { value: 'forever', label: 'Every sale, as long as the customer pays' },
          ]}
          allowDeselect={false}
          flex="1 1 260px"
          maw={360}
          {...form.getInputProps('recurrence')}
        />
        {form.values.recurrence === 'months' && (
          <NumberInput
            label="For how many months"
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
          label="Rewards are credits"
          description="You give them on your own invoices. They are kept in the ledger and never paid out as money."
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
          label="Share in %"
          inputMode="decimal"
          placeholder="20"
          w={140}
          required
          {...form.getInputProps(`${field}.percent`)}
          error={problem}
        />
      )}
      {kind === 'flat' && (
        <>
          <TextInput
            label="Amount"
            inputMode="decimal"
            placeholder="10.00"
            w={140}
            required
            {...form.getInputProps(`${field}.amount`)}
            error={problem}
          />
          <Autocomplete
            label="Currency"
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
