/** Pausing, duplicating and archiving a campaign, as a partner manager does it. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeInBrowser, newVisitor } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { loaded, turnTo } from './support/pages.ts'
import type { Programme } from './support/programme.ts'
import { sharedProgramme } from './support/shared.ts'

describeInBrowser('a campaign', () => {
  let programme: Programme
  let tab: Page
  let home: string
  const act = async (item: string) => {
    await tab.getByRole('button', { name: 'Actions', exact: true }).click()
    await tab.getByRole('menuitem', { name: item }).click()
  }
  const confirm = async (button: string) => {
    const dialog = tab.getByRole('dialog')
    await dialog.getByText('Existing referrals keep earning on their sales.').waitFor()
    // The menu fades out behind the dialog.
    await tab.locator('[role=menu]').waitFor({ state: 'detached' })
    expect(await obstacles(tab)).toEqual([])
    await dialog.getByRole('button', { name: button }).click()
  }

  beforeAll(async () => {
    const shared = await sharedProgramme()
    programme = shared.programme
    home = `${shared.url}/dashboard/${programme.slug}`
    ;({ tab } = await newVisitor())
    await tab.goto(`${shared.url}/dashboard/signin`)
    await tab.getByLabel('Email').fill(programme.owner.email)
    await tab.getByLabel('Password').fill(programme.owner.password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.waitForURL(`${home}/overview`)
    await loaded(tab)
    await turnTo(tab, `${home}/campaigns/${programme.campaignId}`)
  })

  test('is paused with a warning, and resumed', async () => {
    await act('Pause campaign')
    await confirm('Pause campaign')
    await tab.getByText('This campaign is paused').waitFor()
    expect(await obstacles(tab)).toEqual([])
    await act('Resume campaign')
    await tab.getByText('This campaign is paused').waitFor({ state: 'detached' })
  })

  test('is duplicated with its terms, and archived out of the list', async () => {
    const name = await tab.getByRole('heading', { level: 1 }).innerText()
    await act('Duplicate campaign')
    await tab.getByRole('heading', { name: `Duplicate ${name}` }).waitFor()
    expect(await tab.getByLabel('Name', { exact: true }).inputValue()).toBe(`${name} (copy)`)
    await tab.getByRole('button', { name: 'Create campaign' }).click()
    await tab.getByRole('heading', { level: 1, name: `${name} (copy)` }).waitFor()
    await act('Archive campaign')
    await confirm('Archive campaign')
    await tab.getByText('This campaign is archived').waitFor()
    await turnTo(tab, `${home}/campaigns`)
    expect(await tab.getByRole('link', { name: `${name} (copy)` }).count()).toBe(0)
    await turnTo(tab, `${home}/campaigns?status=archived`)
    await tab.getByRole('button', { name: `Actions for ${name} (copy)` }).click()
    await tab.getByRole('menuitem', { name: 'Restore campaign' }).click()
    await tab.getByText('Campaign restored').waitFor()
  })
})
