/** The server's error about one field, to show next to it: such messages start with the field's name. */
export function fieldError(error: Error | null, field: string): string | undefined {
  if (!error?.message.startsWith(`${field} `)) return undefined
  const problem = error.message.slice(field.length + 1)
  return problem.charAt(0).toUpperCase() + problem.slice(1)
}
