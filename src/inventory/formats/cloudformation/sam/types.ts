/** The type that a SAM resource is turned into. Others of SAM's types stay as they are. */
export const deployedTypes = {
  'AWS::Serverless::Api': 'AWS::ApiGateway::RestApi',
  'AWS::Serverless::Application': 'AWS::CloudFormation::Stack',
  'AWS::Serverless::Function': 'AWS::Lambda::Function',
  'AWS::Serverless::GraphQLApi': 'AWS::AppSync::GraphQLApi',
  'AWS::Serverless::HttpApi': 'AWS::ApiGatewayV2::Api',
  'AWS::Serverless::LayerVersion': 'AWS::Lambda::LayerVersion',
  'AWS::Serverless::SimpleTable': 'AWS::DynamoDB::Table',
  'AWS::Serverless::StateMachine': 'AWS::StepFunctions::StateMachine',
} as const;

export type SamType = keyof typeof deployedTypes;
export const isSamType = (type: unknown): type is SamType =>
  typeof type === 'string' && Object.hasOwn(deployedTypes, type);
