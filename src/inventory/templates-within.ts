import { at, isUnknown } from './attributes/values.ts';
import type { DocumentProblem, RawResource } from './model.ts';

/** Properties that hold a whole template as text, by what Terraform or CloudFormation calls the resource. */
const places = new Map(
  Object.entries({
    'AWS::CloudFormation::StackSet': 'TemplateBody',
    aws_cloudformation_stack: 'template_body',
    aws_cloudformation_stack_set: 'template_body',
    azurerm_management_group_template_deployment: 'template_content',
    azurerm_resource_group_template_deployment: 'template_content',
    azurerm_subscription_template_deployment: 'template_content',
    azurerm_template_deployment: 'template_body',
    azurerm_tenant_template_deployment: 'template_content',
  }),
);

/** Says of resources that deploy a template within them that it is not checked: nobody would miss its findings. */
export function noticesOfTemplates(raws: readonly RawResource[]): DocumentProblem[] {
  return raws.flatMap(({ type, source, properties, address, at: place }) => {
    const name = places.get(String(source['terraform_type'] ?? type));
    const template = name === undefined ? undefined : at(properties, name);
    if (name === undefined || template === undefined || template === '') return [];
    const which = isUnknown(template) ? '' : '; save it as a file and check that, too';
    return [
      {
        message: `${address} contains a template (${name}) that is not checked${which}`,
        at: place,
      },
    ];
  });
}
