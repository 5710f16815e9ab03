//! The space of valid configurations, and the queries on it.

use super::{
    Configuration, ConfigurationId, Expression, Parameter, SpaceError, Value, construct,
    diagram::Diagram, restriction::Restriction,
};

/// The valid configurations of a list of parameters under restrictions.
///
/// Configurations are numbered from 0 in the order of the parameters' values, the last parameter
/// fastest. The space does not store a list: it is a layered graph (see [`Space::build`]). In
/// costs, `n` is the number of edges, `p` the number of parameters and `v` the length of the
/// longest value list.
#[derive(Clone, Debug)]
pub struct Space {
    pub(super) parameters: Vec<Parameter>,
    constants: Vec<(String, Value)>,
    restrictions: Vec<Restriction>,
    pub(super) diagram: Diagram,
    pub(super) occurring: Vec<Vec<u32>>,
    default: Option<ConfigurationId>,
}

impl Space {
    /// Builds the space of all configurations that satisfy every restriction.
    ///
    /// Restrictions may name parameters and `constants` (sizes, device limits). A restriction that
    /// divides by zero counts as satisfied; [`Space::undefined`] counts these divisions.
    ///
    /// Costs one try of every value at every prefix, and memory for the prefixes. Prefixes with the
    /// same partial sums and products count once. The number of prefixes is usually far below the
    /// number of valid configurations; at worst it is the size of their prefix tree.
    ///
    /// # Errors
    /// If a list or a restriction is faulty, or the graph would be too large.
    pub fn build(
        parameters: Vec<Parameter>,
        restrictions: &[impl AsRef<str>],
        constants: &[(String, Value)],
    ) -> Result<Self, SpaceError> {
        let built = construct::build(&parameters, restrictions, constants)?;
        let mut space = Self::from_diagram(parameters, built.diagram, built.occurring);
        (space.constants, space.restrictions) = (constants.to_vec(), built.restrictions);
        Ok(space)
    }

    /// A space from its graph; `occurring` lists the values of each parameter that the graph has.
    pub(super) fn from_diagram(
        parameters: Vec<Parameter>,
        diagram: Diagram,
        occurring: Vec<Vec<u32>>,
    ) -> Self {
        let (constants, restrictions) = (Vec::new(), Vec::new());
        let mut space =
            Self { parameters, constants, restrictions, diagram, occurring, default: None };
        space.default = space.nearest_by_hamming(&space.default_configuration());
        space
    }

    /// Parameters, in order.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Constants that restrictions may name.
    #[must_use]
    pub fn constants(&self) -> &[(String, Value)] {
        &self.constants
    }

    /// Restrictions, in order.
    pub fn restrictions(&self) -> impl Iterator<Item = &Expression> {
        self.restrictions.iter().map(|r| &r.expression)
    }

    /// Restrictions that divided by zero, with the number of checks that did.
    pub fn undefined(&self) -> impl Iterator<Item = (&str, u64)> {
        self.restrictions
            .iter()
            .filter(|r| r.undefined > 0)
            .map(|r| (r.expression.text(), r.undefined))
    }

    /// All configurations in order.
    pub fn ids(&self) -> impl Iterator<Item = ConfigurationId> + use<> {
        (0..self.len()).map(ConfigurationId)
    }

    /// Value indices of a configuration. Costs `p log v`.
    ///
    /// # Panics
    /// If `id` is not of this space.
    #[must_use]
    pub fn configuration(&self, id: ConfigurationId) -> Configuration {
        assert!(id.0 < self.len(), "configuration {} of a space of {}", id.0, self.len());
        let mut indices = Vec::with_capacity(self.parameters.len());
        self.diagram.write(id.0, &mut indices);
        Configuration(indices)
    }

    /// Values of a configuration, in the order of the parameters. Costs `p log v`.
    #[must_use]
    pub fn values(&self, id: ConfigurationId) -> Vec<Value> {
        self.named(id).into_iter().map(|(_, value)| value.clone()).collect()
    }

    /// Parameter names with the values of a configuration. Costs `p log v`.
    #[must_use]
    pub fn named(&self, id: ConfigurationId) -> Vec<(&str, &Value)> {
        self.parameters
            .iter()
            .zip(self.configuration(id).0)
            .map(|(p, index)| (p.name.as_str(), &p.values[index as usize]))
            .collect()
    }

    /// Number of a configuration; `None` if it is invalid. Costs `p log v`.
    #[must_use]
    pub fn id_of(&self, configuration: &Configuration) -> Option<ConfigurationId> {
        self.diagram.find(configuration).map(ConfigurationId)
    }

    /// Number of the configuration with these named values, in any order. `None` if it is invalid,
    /// a parameter is missing, or a value is not in its list. Costs `p (v + values)`.
    ///
    /// Names that are not parameters are ignored, so that records with more columns can be read.
    #[must_use]
    pub fn id_of_named<'a>(
        &self,
        values: impl IntoIterator<Item = (&'a str, &'a Value)> + Clone,
    ) -> Option<ConfigurationId> {
        let indices = self.parameters.iter().map(|parameter| {
            let (_, value) = values.clone().into_iter().find(|(n, _)| *n == parameter.name)?;
            parameter.index_of(value).and_then(|index| u32::try_from(index).ok())
        });
        self.id_of(&Configuration(indices.collect::<Option<_>>()?))
    }

    /// The default of every parameter; this configuration may be invalid.
    #[must_use]
    pub fn default_configuration(&self) -> Configuration {
        Configuration(self.parameters.iter().map(|p| p.default_index() as u32).collect())
    }

    /// The valid configuration nearest to the defaults; `None` only when nothing is valid. O(1).
    #[must_use]
    pub fn default_id(&self) -> Option<ConfigurationId> {
        self.default
    }

    /// [`Space::distance`] of a configuration from the default of every parameter. Costs `p log v`.
    #[must_use]
    pub fn distance_to_default(&self, id: ConfigurationId) -> f64 {
        self.distance(&self.configuration(id), &self.default_configuration())
    }

    /// Text of the first restriction that `configuration` violates, if any. Costs a check of each
    /// restriction.
    #[must_use]
    pub fn explain(&self, configuration: &Configuration) -> Option<&str> {
        let chosen = self.parameters.iter().zip(&configuration.0);
        let mut slots: Vec<Value> =
            chosen.filter_map(|(p, index)| p.values.get(*index as usize).cloned()).collect();
        if slots.len() != self.parameters.len() {
            return Some("one value of every parameter's list");
        }
        slots.extend(self.constants.iter().map(|(_, value)| value.clone()));
        self.restrictions
            .iter()
            .map(|r| &r.expression)
            .find(|expression| matches!(expression.eval_bool(&slots), Ok(false)))
            .map(Expression::text)
    }
}
