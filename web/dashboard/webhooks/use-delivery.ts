import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useAccount, useCall } from '../shared/account.tsx'
import { queryKeys } from '../shared/query-keys.ts'

/** Polls a delivery until it is no longer pending; each attempt invalidates the lists that show it. */
export function useDelivery(id: number, everyMs: number) {
  const account = useAccount()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(true)
  const delivery = useCall('getDelivery', { id }, { refetchInterval: isOpen ? everyMs : false })
  const attempts = delivery.data?.attempts.length ?? 0
  const status = delivery.data?.status
  useEffect(() => {
    setOpen(status === undefined || status === 'pending')
    if (attempts === 0) return
    for (const list of ['listDeliveries', 'listWebhookEndpoints'] as const)
      void queries.invalidateQueries({ queryKey: queryKeys.route(account.id, list) })
  }, [status, attempts, account.id, queries])
  return delivery
}
