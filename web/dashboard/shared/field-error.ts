/** What the server says of one field, to be shown beside it: its messages begin with the field's name. */
export function fieldError(error: Error | null, field: string): string | undefined {
  if (!error?.message.startsWith(`${field} `)) return undefined
  const problem = error.message.slice(field.length + 1)
  return problem.charAt(0).toUpperCase() + problem.slice(1)
}
