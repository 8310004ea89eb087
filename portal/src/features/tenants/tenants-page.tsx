import { useMemo } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { customerTexts } from '@cloudfit/contract/messages/customers.en.ts';
import { tenantGroupTexts as groupTexts } from '@cloudfit/contract/messages/tenant-groups.en.ts';
import { useMay } from '../../api/lookups.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { usePanelParams } from '../../hooks/use-panel-params.ts';
import { SubscriptionsPanel } from './subscriptions-panel.tsx';
import { tenantsView } from './tenants.view.tsx';
import { useSubscriptionsPanel } from './use-subscriptions-panel.ts';
import './tenants.css';

/** The address parameter of the form of a new customer. */
const customerParams = ['customer'] as const;

const { Component: NewCustomer } = onDemand(() => import('./new-customer.tsx').then((module) => module.NewCustomer));

const { Component: CustomersPage } = onDemand(() => import('./customers-page.tsx').then((module) => module.CustomersPage));

/** The tenants, and the lists beside them: one route with its code, because each costs bytes of the first load. */
export function TenantsPage() {
  const { list } = useParams();
  return list === undefined ? <Tenants /> : <CustomersPage list={list} />;
}

/** The list is rendered last, so that the panel of a tenant covers the panel of its subscriptions. */
function Tenants() {
  const may = useMay();
  const maySeeSubscriptions = may('Subscriptions', 'view');
  const mayMake = may('Tenants', 'create');
  const customer = usePanelParams(customerParams);
  const navigate = useNavigate();
  const isNew = useSearchParams()[0].has('customer') && mayMake;
  const { tenantId, open, close } = useSubscriptionsPanel();
  const view = useMemo(() => tenantsView({ openSubscriptions: open, maySeeSubscriptions }), [open, maySeeSubscriptions]);
  const entries = [
    ...(mayMake ? [{ id: 'new', label: customerTexts.newCustomer, run: () => customer.open('customer', 'new') }] : []),
    { id: 'templates', label: customerTexts.templates, run: () => void navigate('/customers/templates') },
    { id: 'ended', label: customerTexts.ended, run: () => void navigate('/customers/ended') },
    { id: 'groups', label: groupTexts.title, run: () => void navigate('/tenantgroups') },
  ];
  return (
    <>
      {tenantId && <SubscriptionsPanel key={tenantId} tenantId={tenantId} onClose={close} />}
      <ListPage view={view} bar={() => <MenuButton small label={customerTexts.menu} entries={entries} />} />
      {isNew && <NewCustomer onClose={customer.close} />}
    </>
  );
}
