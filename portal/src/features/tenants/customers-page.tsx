/** The lists beside the tenants: templates of customers, and customers that ended. */
import { CustomerTemplatesPage } from './customer-templates-page.tsx';
import { OffboardingsPage } from './offboardings-page.tsx';

export function CustomersPage({ list }: { list: string }) {
  return list === 'ended' ? <OffboardingsPage /> : <CustomerTemplatesPage />;
}
