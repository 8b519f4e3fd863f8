import { useForm } from '@mantine/form'
import { type CampaignFields, problemsOf } from './campaign-fields.ts'

/** The state of the form, with its validation. */
export const useCampaignForm = (initialValues: CampaignFields) =>
  useForm<CampaignFields>({
    initialValues,
    validate: Object.fromEntries(
      Object.entries(problemsOf).map(([name, problem]) => [
        name,
        (value: never, fields: CampaignFields) => problem(value, fields),
      ]),
    ),
  })
export type CampaignForm = ReturnType<typeof useCampaignForm>
