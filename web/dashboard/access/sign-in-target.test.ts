/** Protects against open redirects: a link to the sign-in page cannot send the user to another site afterwards. */
import { expect, it } from 'vitest'
import { signInTarget } from './sign-in-target.ts'

it.each(['/dashboard/acme/payouts/7', '/dashboard/acme/affiliates?status=pending#top'])(
  'leads back to %s',
  from => {
    expect(signInTarget(from)).toBe(from)
  },
)

it.each([
  undefined,
  '',
  '/',
  '/dashboard',
  'dashboard/acme',
  '//evil.example/dashboard/',
  'https://evil.example/dashboard/',
  'javascript:alert(1)//dashboard/',
  '/dashboard.evil/',
  ' /dashboard/acme',
])('leads to the dashboard, not to %s', from => {
  expect(signInTarget(from)).toBe('/dashboard/')
})
